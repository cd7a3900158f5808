# frozen_string_literal: true

module Raffia
  class Server
    # HTTP, independent of the version that a connection speaks.
    module HTTP
      # One request and its response on a connection: the contract between HTTP and a protocol.
      #
      # {RequestCycle}, {Input}, {Output}, {BodyStream}, {Hijack} and {EarlyHints} speak HTTP
      # through these messages only. A protocol implements them: {HTTP1::Stream} does for HTTP/1.1,
      # with one stream for all requests of a connection.
      # test/contract/server/http_stream_contract.rb is the suite for every implementation.
      #
      # All messages are sent by the one fiber or thread that runs the request. Those that read or
      # write may wait, and raise {Disconnected} when the client has gone.
      #
      # Request
      # body?::         Whether the request has a body, read or not.
      # read_body::     `(most, timeout)` The next bytes of it, at most `most`; nil at its end.
      # `timeout`
      #                 is in seconds, until something comes. Raises {Refused} for a body that is
      #                 malformed, too long or too slow. Sends 100 Continue if it is expected.
      # body_ready?::   Whether read_body returns without waiting.
      #
      # Response: `answer`, or `begin`, then `write` and `send_file`, then `finish`
      # answer::        `(response)` Sends a whole response. False, and nothing is sent: its body is
      # not
      #                 an Array, or its status or headers are not an Integer and a Hash.
      # begin::         `(status, headers, length = nil)` Says the head, which is sent with the
      # first
      #                 piece of the body. `length` in bytes. False: no body may follow, as in 304.
      # write::         `(string)` Sends a piece of the body. Returns its bytes.
      # send_file::     `(file, from, length)` Sends a part of a file.
      # finish::        `(trailers = nil)` Ends the body. Nothing happens where none has begun.
      # inform::        `(status, headers)` Sends an interim response, such as 103. Nothing happens
      #                 when the response has begun.
      # retract::       Takes back a response that has begun. False: the client has seen a part of
      # it.
      # flush::         Sends what is held back, as answers to pipelined requests are.
      # ahead=::        How many bytes that the client does not take at once are kept for `flush`,
      #                 rather than waited for. 0: none.
      #
      # A response that is no valid one raises {BadResponse}; then nothing of it has been sent,
      # unless its head was right.
      #
      # Connection
      # closing=::      True: the client is told that the connection takes no further request.
      # begin_raw::     `(status, headers, protocol = nil)` Sends the head of what is no HTTP from
      # there
      #                 on. Raises {BadResponse} for a protocol where the request asked for none.
      # hijack::        The IO, for good. Unread bytes are put back into it.
      # io::            The IO, to wait for: HTTP's framing is not on it.
      #
      # Figures
      # status::        Of the last response that has begun; 0 before.
      # body_sent::     Bytes of its body.
      # queued::        Microseconds from the request's first byte until now; negative: not known.
      # received, sent:: Bytes on the connection so far.
      #
      # @api private
      module Stream
        MESSAGES = %i[
          body? read_body body_ready? answer begin write send_file finish inform retract flush
          ahead=
          closing= begin_raw hijack io status body_sent queued received sent
        ].freeze
      end
    end
  end
end
