# frozen_string_literal: true

module Raffia
  class Scheduler
    # IO.copy_stream between descriptors, as waits of the loop (docs/adr/0018). Core does it in one
    # C call that may last as long as the peer likes and that nothing can end. Here each wait is one
    # of the fiber's own: it ends with a timeout, a cancellation or the IO's timeout, and needs no
    # thread.
    #
    # A file goes to a socket by sendfile(2). Other streams go through a String, which also holds
    # for descriptors that are not O_NONBLOCK. From file to file core copies, a piece at a time, on
    # another thread if there is much of it.
    #
    # @api private
    module CopyStream
      # Bytes of one read and write.
      CHUNK = 65_536
      # Bytes that one sendfile(2) may send, and that must be in memory before.
      PIECE = 262_144
      # Bytes that core copies from file to file in one call.
      FILE_PIECE = 8 << 20
      # Bytes after which other fibers run, when nothing had to be waited for.
      TURN_BYTES = 1 << 20
      READ = File::RDONLY | File::NOCTTY
      WRITE = File::WRONLY | File::CREAT | File::TRUNC | File::NOCTTY
      private_constant :CHUNK, :PIECE, :FILE_PIECE, :TURN_BYTES, :READ, :WRITE

      # Arguments and value are those of IO.copy_stream.
      #
      # @yield arguments for IO.copy_stream as core has it
      # @return [Integer] bytes
      def copy_stream(source, target, length = nil, offset = nil, &core)
        opened = []
        length = length&.to_int
        offset = offset&.to_int&.then { |from| from unless from.negative? }
        from = stream(source, opened, READ)
        to = stream(target, opened, WRITE, 0o666) if from
        return yield(from || source, target, length, offset) if to.nil? || length&.negative?

        copy(from, to, length, offset, &core)
      ensure
        opened&.each(&:close)
      end

      private

      # @return [IO, nil] nil for what core reads or writes by its methods
      def stream(object, opened, *mode)
        return object if object.is_a?(IO)
        return unless object.is_a?(String) || object.respond_to?(:to_path)
        return if RactorLocal.main? && object.equal?(ARGF) # which other Ractors do not see

        IO.try_convert(object) || File.open(object, *mode).tap { |file| opened << file }
      end

      def copy(from, to, length, offset, &core)
        # Nothing is copied yet: it checks both, and writes what the target has in its buffer.
        yield(from, to, 0)
        return 0 if length&.zero?
        if from.stat.file? && to.stat.file?
          return copy_between_files(from, to, length, offset, &core)
        end
        return copy_from_file(from, to, length, offset) if from.stat.file?
        return yield(from, to, length, offset) if offset # which streams do not have

        copy_from_stream(from, to, length)
      end

      def copy_from_stream(from, to, length)
        pump(length) { |room, buffer| transfer_chunk(to) { from.readpartial(room, buffer) } }
      end

      def copy_between_files(from, to, length, offset)
        rest = length || (from.stat.size - (offset || from.pos))
        total = 0
        loop do
          piece = [rest - total, FILE_PIECE].min
          copied = file_operation(piece) do
            yield(from, to, (piece unless rest <= 0), offset && (offset + total))
          end
          total += copied
          return total if copied < piece || total >= rest
        end
      end

      # @param bytes [Integer] that the block moves
      def file_operation(bytes, &)
        (bytes <= PIECE) ? Fiber.blocking(&) : offloaded_to_the_end(&)
      end

      # Files of /proc say that they are empty.
      def copy_from_file(from, to, length, offset)
        start = offset || from.pos
        rest = length || (from.stat.size - start)
        return copy_from_stream(from, to, length) if rest <= 0 && !offset

        send_file(from, to, start, rest, offset)
      end

      # Bytes that were read ahead are sent again from the file, so its position is set at the end.
      def send_file(from, to, start, rest, offset)
        position = start
        while position < start + rest
          count = send_piece(from, to, position, [start + rest - position, PIECE].min)
          break if count.zero?
          position += count
          self.yield if count == PIECE && (position / PIECE % (TURN_BYTES / PIECE)).zero?
        end
        position - start
      ensure
        from.seek(position) unless offset || from.closed?
      end

      # @return [Integer] bytes, 0 at the end of the file
      def send_piece(from, to, position, length)
        from.pread(length, position) unless Engine.cached?(from, position)
        loop do
          count = Engine.sendfile(to, from, position, length)
          return count unless count.negative?
          return write_piece(from, to, position, length) if count != -Errno::EAGAIN::Errno

          await(:write, to, 0)
        end
      end

      # Where sendfile(2) is not to be had.
      def write_piece(from, to, position, length)
        transfer_chunk(to) { from.pread(length, position) }
      rescue EOFError
        0
      end

      # @return [Integer] bytes
      def pump(length)
        buffer = String.new(capacity: CHUNK)
        total = turn = 0
        until total == length
          total += yield(length ? [CHUNK, length - total].min : CHUNK, buffer)
          next if total - turn < TURN_BYTES

          turn = total
          self.yield
        end
        total
      rescue EOFError
        total
      end

      def transfer_chunk(to)
        bytes = yield
        to.write(bytes)
        to.flush
        bytes.bytesize
      end
    end
  end
end
