# frozen_string_literal: true

require_relative "../error"
require_relative "body_stream"
require_relative "multiplexed_body_stream"
require_relative "../static/file_body"

module Raffia
  class Server
    module HTTP
      # Sends responses that {Stream#answer} does not: those whose body is not a plain Array.
      #
      # @api private
      class Output
        HIJACK = "rack.hijack"
        PROTOCOL = "rack.protocol"
        # Bytes per read of a pipe or socket.
        CHUNK = 64 * 1024
        # Headers that the server sets when it switches protocols.
        SET_BY_SERVER = %w[connection upgrade].freeze
        private_constant :HIJACK, :PROTOCOL, :CHUNK, :SET_BY_SERVER

        def initialize(stream)
          @stream = stream
        end

        attr_writer :stream

        # Raises BadResponse for what is no response. `input` is the rest of the request.
        def deliver(response, input, hijack)
          @input = input
          @hijack = hijack
          status, headers, body = parts(response)
          send_parts(status, headers, body)
        ensure
          # `to_ary` closes the body.
          body ||= response[2] if response.is_a?(Array)
          body.close if body.respond_to?(:close) && !@collected
          @collected = @input = @hijack = nil
        end

        # Closes the body of a response that is not sent.
        def ignore(response)
          body = response[2] if response.is_a?(Array)
          body.close if body.respond_to?(:close)
        end

        private

        def parts(response)
          parts = response.respond_to?(:to_ary) ? response.to_ary : nil
          return parts if parts&.size == 3

          invalid("the app returned #{describe(response)}, which is no [status, headers, body]")
        end

        def send_parts(status, headers, body)
          status = integer(status)
          headers.respond_to?(:each) or
            invalid("the response's headers are #{describe(headers)}, which is no Hash")
          send_switch(status, headers, body) || send_body(status, headers, body)
        end

        # Returns whether the response leaves HTTP.
        def send_switch(status, headers, body)
          if (hijack = special(headers, HIJACK)) then give_away(status, headers, hijack)
          elsif (protocol = special(headers, PROTOCOL)) then upgrade(headers, protocol, body)
          elsif status == 101 && (protocol = named_upgrade(headers))
            upgrade(headers.reject { |name, _| SET_BY_SERVER.include?(name.to_s.downcase) },
              protocol, body)
          else
            return false
          end
          true
        end

        def send_body(status, headers, body)
          if body.is_a?(Static::FileBody) then send_file_body(status, headers, body)
          elsif body.respond_to?(:to_path) && (file = open_file(body))
            send_file(status, headers, file)
          elsif body.respond_to?(:to_ary) then send_array(status, headers, body)
          elsif body.is_a?(::IO) then send_io(status, headers, body)
          elsif body.respond_to?(:each) then send_each(status, headers, body)
          elsif body.respond_to?(:call) then send_callable(status, headers, body)
          else
            invalid("the response's body is #{describe(body)}, which has neither `each` nor `call`")
          end
        end

        def integer(status)
          return status if status.is_a?(Integer)

          Integer(status, exception: false) or
            invalid("the response's status is #{describe(status)}, which is no Integer")
        end

        def invalid(reason) = raise(BadResponse, reason)

        def describe(object) = "#{object.inspect[0, 100]} (#{object.class})"

        def special(headers, name)
          headers[name] if headers.respond_to?(:[]) && !headers.is_a?(Array)
        end

        # Applications written for Rack 2 set the header.
        def named_upgrade(headers)
          return unless headers.respond_to?(:reject)

          headers.find { |name, _| name.to_s.casecmp?("upgrade") }&.last
        end

        def send_array(status, headers, body)
          strings = [*body.to_ary]
          @collected = !body.is_a?(Array)
          return if @stream.answer([status, headers, strings])

          strings.all?(::String) or invalid("the response's body has other objects than Strings")
          size = strings.sum(&:bytesize)
          strings.each { |piece| @stream.write(piece) } if @stream.begin(status, headers, size)
          @stream.finish
        end

        def send_each(status, headers, body)
          wanted = @stream.begin(status, headers)
          body.each { |piece| @stream.write(piece) } if wanted
          @stream.finish
        end

        # Sends what a pipe or socket has at once: waiting for a whole line could take long.
        def send_io(status, headers, body)
          if @stream.begin(status, headers)
            buffer = +""
            @stream.write(body.readpartial(CHUNK, buffer)) until body.closed?
          end
          @stream.finish
        rescue EOFError
          @stream.finish
        end

        def send_callable(status, headers, body)
          return @stream.finish unless @stream.begin(status, headers)

          body_stream = build_body_stream
          body.call(body_stream)
          body_stream.close
        ensure
          body_stream&.abandon
        end

        # Nil when the body is no regular file, but a pipe or a socket.
        def open_file(body)
          path = body.to_path or return
          file = Fiber.blocking { ::File.open(path, "rb") }
          return file if file.stat.file?

          file.close
          nil
        rescue SystemCallError
          nil
        end

        def send_file_body(status, headers, body)
          wanted = @stream.begin(status, headers, body.size)
          @stream.send_file(body.file, body.from, body.size) if wanted
          @stream.finish
        end

        def send_file(status, headers, file)
          send_file_body(status, headers, Static::FileBody.new(file, 0, file.size))
        ensure
          file.close
        end

        def build_body_stream
          (@stream.multiplexed? ? MultiplexedBodyStream : BodyStream).new(@stream, @input)
        end

        def give_away(status, headers, hijack)
          return partial_hijack(status, headers, hijack) unless @stream.multiplexed?

          lend(status, headers.reject { |name, _| name == HIJACK }, hijack)
        end

        # The application may keep the stream when `hijack` has returned, until it closes it.
        def lend(status, headers, hijack)
          return @stream.finish unless @stream.begin(status, headers)

          body_stream = build_body_stream
          hijack.call(body_stream)
          body_stream.await_close
        ensure
          body_stream&.abandon
        end

        # The application gets the socket after the head, and closes it.
        def partial_hijack(status, headers, hijack)
          @stream.begin_raw(status, headers)
          hijack.call(@hijack.call)
        end

        # Like {partial_hijack}, but the connection ends with the body's `call`.
        def upgrade(headers, protocol, body)
          body.respond_to?(:call) or
            invalid("the response switches to #{protocol}, but its body cannot be called")
          @stream.begin_raw(101, headers, protocol)
          io = @hijack.call
          begin
            body.call(io)
          ensure
            io.close
          end
        end
      end
    end
  end
end
