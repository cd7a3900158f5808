# frozen_string_literal: true

require_relative "../errors"
require_relative "body_stream"
require_relative "../static/file_body"

module Raffia
  class Server
    module HTTP
      # Responses that are not simply an Array of Strings: those go from the wire's `answer`
      # straight to the socket.
      #
      # @api private
      class Output
        HIJACK = "rack.hijack"
        PROTOCOL = "rack.protocol"
        # Bytes of a file that is sent in pieces, where sendfile(2) cannot be had.
        PIECE = 64 * 1024
        # What the server says itself when it switches protocols.
        ADDED = %w[connection upgrade].freeze
        private_constant :HIJACK, :PROTOCOL, :PIECE, :ADDED

        def initialize(wire, io)
          @wire = wire
          @io = io
        end

        # @param response [Object] what the app returned
        # @param input [Input, NullInput] what is left of the request
        # @param hijack [Hijack] of the request
        # @raise [BadResponse] when it is none
        # @raise [Disconnected]
        def deliver(response, input, hijack)
          @input = input
          @hijack = hijack
          status, headers, body = parts(response)
          send_parts(status, headers, body)
        ensure
          # Whoever gives out an Array has closed what there was to close.
          body ||= response[2] if response.is_a?(Array)
          body.close if body.respond_to?(:close) && !@gathered
          @gathered = @input = @hijack = nil
        end

        # For a client that has got another answer, by the socket itself. There may still be
        # something that waits for the body's end.
        # @param response [Object]
        def ignore(response)
          body = response[2] if response.is_a?(Array)
          body.close if body.respond_to?(:close)
        end

        private

        def parts(response)
          parts = response.respond_to?(:to_ary) ? response.to_ary : nil
          unless parts&.size == 3
            raise BadResponse,
              "the app returned #{brief(response)}, which is no [status, headers, " \
              "body]"
          end

          parts
        end

        def send_parts(status, headers, body)
          status = number(status)
          unless headers.respond_to?(:each)
            raise BadResponse, "the response's headers are #{brief(headers)}, which is no Hash"
          end

          if (hijack = special(headers, HIJACK)) then partial_hijack(status, headers, hijack)
          elsif (protocol = special(headers, PROTOCOL)) then upgrade(headers, protocol, body)
          elsif status == 101 && (protocol = named_upgrade(headers))
            upgrade(headers.reject { |name, _| ADDED.include?(name.to_s.downcase) }, protocol, body)
          elsif body.is_a?(Static::FileBody) then send_part(status, headers, body)
          elsif body.respond_to?(:to_path) &&
              (file = open_file(body)) then send_file(status, headers, file)
          elsif body.respond_to?(:to_ary) then send_array(status, headers, body)
          elsif body.is_a?(::IO) then send_io(status, headers, body)
          elsif body.respond_to?(:each) then send_each(status, headers, body)
          elsif body.respond_to?(:call) then send_stream(status, headers, body)
          else raise BadResponse,
            "the response's body is #{brief(body)}, which has neither `each` " \
            "nor `call`"
          end
        end

        def number(status)
          return status if status.is_a?(Integer)

          Integer(status, exception: false) or
            raise BadResponse, "the response's status is #{brief(status)}, which is no Integer"
        end

        def brief(object) = "#{object.inspect[0, 100]} (#{object.class})"

        def special(headers, name)
          (headers.respond_to?(:[]) && !headers.is_a?(Array)) ? headers[name] : nil
        end

        # Apps of before Rack 3 name the protocol as it is on the wire.
        # @return [String, nil]
        def named_upgrade(headers)
          return unless headers.respond_to?(:reject)

          headers.find { |name, _| name.to_s.casecmp?("upgrade") }&.last
        end

        def send_array(status, headers, body)
          strings = body.to_ary
          @gathered = !body.is_a?(Array)
          @wire.respond(status, headers, strings)
        end

        def send_each(status, headers, body)
          wanted = @wire.begin(status, headers)
          body.each { |piece| @wire.write(piece) } if wanted
          @wire.finish
        end

        # Of a pipe or a socket what there is goes at once; its lines say nothing of when it came.
        def send_io(status, headers, body)
          if @wire.begin(status, headers)
            buffer = +""
            @wire.write(body.readpartial(PIECE, buffer)) until body.closed?
          end
          @wire.finish
        rescue EOFError
          @wire.finish
        end

        def send_stream(status, headers, body)
          return @wire.finish unless @wire.begin(status, headers)

          stream = BodyStream.new(@wire, @io, @input)
          body.call(stream)
          stream.close
        ensure
          stream&.abandon
        end

        # @return [File, nil] nil: it has no file, as a pipe or a socket has none
        def open_file(body)
          path = body.to_path or return
          file = Fiber.blocking { ::File.open(path, "rb") }
          return file if file.stat.file?

          file.close
          nil
        rescue SystemCallError
          nil
        end

        def send_part(status, headers, body)
          send_range(body.file, body.from, body.size) if @wire.begin(status, headers, body.size)
          @wire.finish
        end

        def send_file(status, headers, file)
          size = file.size
          send_range(file, 0, size) if @wire.begin(status, headers, size)
          @wire.finish
        ensure
          file.close
        end

        def send_range(file, from, length)
          return @wire.send_file(file, from, length) if @wire.native?

          file.seek(from)
          while length > 0 && (piece = file.read([length, PIECE].min))
            @wire.write(piece)
            length -= piece.bytesize
          end
        end

        # The app gets the socket after the head, and closes it when it likes.
        def partial_hijack(status, headers, hijack)
          @wire.begin_raw(status, headers)
          hijack.call(@hijack.call)
        end

        # The same for another protocol; but when the body's call has ended, so has the connection.
        def upgrade(headers, protocol, body)
          unless body.respond_to?(:call)
            raise BadResponse, "the response switches to #{protocol}, but its body cannot be called"
          end
          unless @wire.upgrade?
            raise BadResponse,
              "the response switches to #{protocol}, but the request did not ask " \
              "for a switch"
          end

          @wire.begin_raw(101, headers, protocol)
          @hijack.call
          begin
            body.call(@io)
          ensure
            @io.close
          end
        end
      end
    end
  end
end
