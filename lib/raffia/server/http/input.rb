# frozen_string_literal: true

require_relative "rewind_buffer"

module Raffia
  class Server
    module HTTP
      # `rack.input`: the request's body, read from the client when the app reads it.
      #
      # @api private
      class Input
        # Bytes to ask the wire for at once.
        PIECE = 64 * 1024
        private_constant :PIECE

        def initialize(wire, service)
          @wire = wire
          @timeout = service.options.body_timeout
          @replay = RewindBuffer.new(service.rewindable?)
          @rest = "".b
          @ended = @closed = false
        end

        # Takes the whole body in: whoever reads it from here on does not wait for the client.
        # @return [void]
        # @raise [Refused, Disconnected] as {read}
        def buffer
          nil while from_wire
          @replay.rewind
        end

        # As IO#read has it.
        # @param length [Integer, nil] bytes
        # @param buffer [String, nil] takes the bytes
        # @return [String, nil]
        # @raise [Refused] when the body is malformed, too long or too slow
        # @raise [Disconnected] when the client goes away in the middle of it
        def read(length = nil, buffer = nil)
          raise ArgumentError, "negative length #{length} given" if length&.negative?

          nil while (length.nil? || @rest.bytesize < length) && more
          found = length ? @rest.byteslice(0, length) : @rest
          @rest = length ? @rest.byteslice(found.bytesize..) : "".b
          found = nil if length&.positive? && found.empty?
          buffer ? fill(buffer, found) : found
        end

        # @return [String, nil] what has come, at most `length` bytes
        def read_partial(length, buffer = nil)
          more if @rest.empty?
          raise EOFError, "end of file reached" if @rest.empty? && length.positive?

          read([length, @rest.bytesize].min, buffer)
        end
        alias_method :readpartial, :read_partial

        # As IO#gets has it.
        # @return [String, nil]
        def gets(separator = $/, limit = nil)
          separator, limit = $/, separator if separator.is_a?(Integer)
          return read(limit) if separator.nil?

          length = line_size(separator.empty? ? "\n\n" : separator.b, limit)
          read([length, limit].compact.min) unless @rest.empty?
        end

        # @yieldparam piece [String]
        # @return [self]
        def each
          return to_enum unless block_given?

          while (piece = read_partial_or_nil)
            yield piece
          end
          self
        end

        # What has been read can be read again, as far as it was kept.
        # @return [Integer] 0
        # @raise [Errno::ESPIPE]
        def rewind
          @replay.rewind
          @rest = "".b
          0
        end

        # @return [Boolean] whether {read_partial} need not wait for the client
        def ready?
          !@rest.empty? || @ended || @closed || @replay.again? || @wire.pending? || @wire.body_read?
        end

        # @return [Boolean]
        def eof? = @rest.empty? && !more

        # @return [Encoding]
        def external_encoding = Encoding::BINARY

        # It happens at the end of the request at the latest: whoever reads later must not get what
        # the next one sends.
        # @return [void]
        def close
          @closed = true
          @rest = "".b
          @replay.close
          nil
        end

        private

        # Up to the end of the separator, if it comes. What has been looked through is not looked
        # through again.
        # @return [Integer] bytes
        def line_size(separator, limit)
          from = 0
          until (index = @rest.index(separator, from))
            from = [@rest.bytesize - separator.bytesize + 1, 0].max
            return @rest.bytesize if (limit && @rest.bytesize >= limit) || !more
          end
          index + separator.bytesize
        end

        # @return [Boolean] whether there was any
        def more
          raise IOError, "closed stream" if @closed

          piece = @replay.next_piece || from_wire or return false

          @rest.empty? ? @rest = piece : @rest << piece
          true
        end

        def from_wire
          return if @ended

          piece = @wire.read_body(PIECE, @timeout)
          piece ? @replay.keep(piece) : @ended = true
          piece
        end

        def read_partial_or_nil = (eof? ? nil : read(@rest.bytesize))

        def fill(buffer, found)
          buffer.replace(found || "")
          found && buffer
        end
      end
    end
  end
end
