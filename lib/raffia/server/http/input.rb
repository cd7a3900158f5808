# frozen_string_literal: true

require_relative "rewind_buffer"

module Raffia
  class Server
    module HTTP
      # `rack.input`: the request's body, read from the client on demand.
      #
      # @api private
      class Input
        # Bytes per read.
        CHUNK = 64 * 1024
        private_constant :CHUNK

        def initialize(stream, context)
          @stream = stream
          @timeout = context.options.body_timeout
          @rewind_buffer = RewindBuffer.new(context.rewindable?)
          @rest = "".b
          @ended = @closed = false
        end

        def buffer
          nil while read_stream
          @rewind_buffer.rewind
        end

        # Like IO#read. Raises {Refused} for a body that is malformed, too long or too slow, and
        # {Disconnected} when the client leaves.
        def read(length = nil, buffer = nil)
          raise ArgumentError, "negative length #{length} given" if length&.negative?

          length ? read_until(length) : read_all
          found = length ? @rest.byteslice(0, length) : @rest
          @rest = length ? @rest.byteslice(found.bytesize..) : "".b
          found = nil if length&.positive? && found.empty?
          buffer ? fill(buffer, found) : found
        end

        # Returns at most `length` bytes that have come.
        def read_partial(length, buffer = nil)
          more if @rest.empty?
          raise EOFError, "end of file reached" if @rest.empty? && length.positive?

          read([length, @rest.bytesize].min, buffer)
        end
        alias_method :readpartial, :read_partial

        def gets(separator = $/, limit = nil)
          separator, limit = $/, separator if separator.is_a?(Integer)
          return read(limit) if separator.nil?

          length = line_size(separator.empty? ? "\n\n" : separator.b, limit)
          read([length, limit].compact.min) unless @rest.empty?
        end

        def each
          return to_enum unless block_given?

          yield read(@rest.bytesize) until eof?
          self
        end

        # Raises Errno::ESPIPE when the beginning was not kept.
        def rewind
          @rewind_buffer.rewind
          @rest = "".b
          0
        end

        # Whether {read_partial} returns without waiting.
        def ready?
          !@rest.empty? || @ended || @closed || @rewind_buffer.again? || @stream.body_ready?
        end

        # `raffia.trailers`: the fields after the body, in lower case, when it has been read to its
        # end; nil: there are none.
        attr_reader :trailers

        def eof? = @rest.empty? && !more

        def external_encoding = Encoding::BINARY

        # The stream's next bytes belong to another request.
        def close
          @closed = true
          @rest = "".b
          @rewind_buffer.close
          nil
        end

        private

        # Bytes of the next line with its separator. Searches no byte twice.
        def line_size(separator, limit)
          from = 0
          until (index = @rest.index(separator, from))
            from = [@rest.bytesize - separator.bytesize + 1, 0].max
            return @rest.bytesize if (limit && @rest.bytesize >= limit) || !more
          end
          index + separator.bytesize
        end

        def read_until(length)
          nil while @rest.bytesize < length && more
        end

        # A String that grows is copied several times, so all pieces are joined at the end.
        def read_all
          pieces = nil
          while (piece = next_piece)
            next @rest = piece if @rest.empty?

            (pieces ||= [@rest]) << piece
          end
        ensure
          @rest = pieces.join if pieces
        end

        def more
          piece = next_piece or return false

          @rest.empty? ? @rest = piece : @rest << piece
          true
        end

        def next_piece
          raise IOError, "closed stream" if @closed

          @rewind_buffer.next_piece || read_stream
        end

        def read_stream
          return if @ended

          piece = @stream.read_body(CHUNK, @timeout)
          piece ? @rewind_buffer.keep(piece) : finish
          piece
        end

        def finish
          @ended = true
          @trailers = @stream.trailers
        end

        def fill(buffer, found)
          buffer.replace(found || "")
          found && buffer
        end
      end
    end
  end
end
