# frozen_string_literal: true

module Raffia
  class Server
    # HTTP, independent of the version that a connection speaks.
    module HTTP
      # One request and its response on a connection: the contract between HTTP and its protocols.
      # {HTTP1::Stream} implements it. test/contract/server/http_stream_contract.rb is its suite.
      #
      # The fiber or thread that runs the request sends all messages. Several streams of one
      # connection may get theirs from several threads at a time. Messages that read or write may
      # wait, and raise {Disconnected} when the client has gone.
      #
      # template (class):: `(keys)` Prepares the keys that all envs of a connection share.
      #
      # Request
      # body?::         Whether the request has a body, read or not.
      # read_body::     `(most, timeout)` The next bytes; nil at the end. Waits `timeout` seconds.
      #                 Raises {Refused} for a body that is malformed, too long or too slow.
      # trailers::      Hash of the fields after the body, once it has been read; nil: none.
      # body_ready?::   Whether read_body returns without waiting.
      # wait_readable:: `(timeout)` Waits for bytes of the body. Nil when none came in time.
      #
      # Response: `answer`, or `begin`, then `write` and `send_file`, then `finish`
      # answer::        `(response)` Sends a whole response. False, and nothing is sent, unless its
      #                 body is an Array, its status an Integer and its headers a Hash.
      # begin::         `(status, headers, length = nil)` Sends the head with the first piece of the
      #                 body. False when no body may follow, as in 304.
      # write::         `(string)` Sends a piece of the body. Returns its bytes.
      # send_file::     `(file, from, length)` Sends a part of a file.
      # finish::        `(trailers = nil)` Ends the body, if one has begun. The default is what the
      #                 application has set in `env["raffia.response_trailers"]`.
      # send_interim::  `(status, headers)` Sends an interim response, such as 103. Does nothing
      #                 when the response has begun.
      # reset_response:: Takes back a response. False: the client has seen a part of it.
      # flush::         Sends what is buffered, such as responses to pipelined requests.
      # wait_writable:: `(timeout)` Waits until the client takes more bytes. Nil when it does not.
      # write_buffer_limit=:: Bytes to buffer for a slow client until `flush`, instead of waiting;
      #                 a whole response is buffered whatever its size. Streams of a connection
      #                 with several at a time buffer less of other responses.
      #
      # An invalid response raises {BadResponse}. Nothing of it has been sent, unless its head was
      # valid.
      #
      # Connection
      # closing=::      Whether the client learns that the connection takes no further request.
      # begin_raw::     `(status, headers, protocol = nil)` Sends a head after which HTTP ends.
      #                 Raises {BadResponse} for a protocol that the request did not ask for.
      # multiplexed?::  Whether the connection has other requests at the same time, so that no
      #                 application can have its IO.
      # connection::    The same object for all streams of a connection, in turn or at a time.
      # hijack::        Gives away the IO, with unread bytes put back.
      # io::            The IO of the connection. Its bytes have HTTP's framing.
      #
      # Figures
      # status::        Of the last response; 0 before.
      # body_sent::     Bytes of its body.
      # queued::        Microseconds since the request's first byte; negative: not known.
      # received, sent:: Bytes so far, of all requests on this stream.
      #
      # @api private
      module Stream
        MESSAGES = %i[
          body? read_body trailers body_ready? wait_readable answer begin write send_file finish
          send_interim reset_response flush wait_writable write_buffer_limit= closing= begin_raw
          multiplexed? connection hijack io status body_sent queued received sent
        ].freeze
      end
    end
  end
end
