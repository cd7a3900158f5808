# frozen_string_literal: true

require_relative "rewind_buffer"

module Raffia
  class Server
    module HTTP
      # `rack.input`: the request's body, read from the client when the application reads it.
      #
      # @api private
      class Input
        # Bytes that are asked of the stream at once.
        CHUNK = 64 * 1024
        private_constant :CHUNK

        def initialize(stream, context)
          @stream = stream
          @timeout = context.options.body_timeout
          @rewind_buffer = RewindBuffer.new(context.rewindable?)
          @rest = "".b
          @ended = @closed = false
        end

        # Reads the whole body in, so that later reads do not wait for the client.
        # @raise [Refused, Disconnected] as {read}
        def buffer
          nil while read_stream
          @rewind_buffer.rewind
        end

        # Like IO#read.
        # @param length [Integer, nil] bytes
        # @param buffer [String, nil] takes the bytes
        # @return [String, nil]
        # @raise [Refused] when the body is malformed, too long or too slow
        # @raise [Disconnected] when the client leaves in the middle of it
        def read(length = nil, buffer = nil)
          raise ArgumentError, "negative length #{length} given" if length&.negative?

          nil while (length.nil? || @rest.bytesize < length) && more
          found = length ? @rest.byteslice(0, length) : @rest
          @rest = length ? @rest.byteslice(found.bytesize..) : "".b
          found = nil if length&.positive? && found.empty?
          buffer ? fill(buffer, found) : found
        end

        # @return [String, nil] at most `length` bytes that have come
        def read_partial(length, buffer = nil)
          more if @rest.empty?
          raise EOFError, "end of file reached" if @rest.empty? && length.positive?

          read([length, @rest.bytesize].min, buffer)
        end
        alias_method :readpartial, :read_partial

        # Like IO#gets.
        # @return [String, nil]
        def gets(separator = $/, limit = nil)
          separator, limit = $/, separator if separator.is_a?(Integer)
          return read(limit) if separator.nil?

          length = line_size(separator.empty? ? "\n\n" : separator.b, limit)
          read([length, limit].compact.min) unless @rest.empty?
        end

        # @yieldparam piece [String]
        def each
          return to_enum unless block_given?

          yield read(@rest.bytesize) until eof?
          self
        end

        # @raise [Errno::ESPIPE] when the beginning was not kept
        def rewind
          @rewind_buffer.rewind
          @rest = "".b
          0
        end

        # @return [Boolean] whether {read_partial} need not wait for the client
        def ready?
          !@rest.empty? || @ended || @closed || @rewind_buffer.again? || @stream.body_ready?
        end

        def eof? = @rest.empty? && !more

        # @return [Encoding]
        def external_encoding = Encoding::BINARY

        # Called at the end of the request at the latest: the next one's bytes must not be read
        # here.
        def close
          @closed = true
          @rest = "".b
          @rewind_buffer.close
          nil
        end

        private

        # Size of the next line, its separator included. No byte is searched twice.
        # @return [Integer] bytes
        def line_size(separator, limit)
          from = 0
          until (index = @rest.index(separator, from))
            from = [@rest.bytesize - separator.bytesize + 1, 0].max
            return @rest.bytesize if (limit && @rest.bytesize >= limit) || !more
          end
          index + separator.bytesize
        end

        # @return [Boolean] whether there was more
        def more
          raise IOError, "closed stream" if @closed

          piece = @rewind_buffer.next_piece || read_stream or return false

          @rest.empty? ? @rest = piece : @rest << piece
          true
        end

        def read_stream
          return if @ended

          piece = @stream.read_body(CHUNK, @timeout)
          piece ? @rewind_buffer.keep(piece) : @ended = true
          piece
        end

        def fill(buffer, found)
          buffer.replace(found || "")
          found && buffer
        end
      end
    end
  end
end
