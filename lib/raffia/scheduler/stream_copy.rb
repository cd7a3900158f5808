# frozen_string_literal: true

module Raffia
  class Scheduler
    # One IO.copy_stream between descriptors, as waits of the fiber (docs/adr/0018). A file goes to
    # a socket by sendfile(2). Other streams go through a String, also for descriptors that are not
    # O_NONBLOCK. From file to file core copies, in pieces, large ones on another thread.
    #
    # @api private
    class StreamCopy
      CHUNK = 65_536
      # Bytes that one sendfile(2) may send; they must be in memory before.
      PIECE = 262_144
      # Bytes that core copies in one call.
      FILE_PIECE = 8 << 20
      # Bytes after which other fibers run.
      TURN_BYTES = 1 << 20
      READ = File::RDONLY | File::NOCTTY
      WRITE = File::WRONLY | File::CREAT | File::TRUNC | File::NOCTTY
      private_constant :CHUNK, :PIECE, :FILE_PIECE, :TURN_BYTES, :READ, :WRITE

      # The block is IO.copy_stream as core has it.
      def initialize(scheduler, &core)
        @scheduler = scheduler
        @core = core
        @opened = []
      end

      def call(source, target, length = nil, offset = nil)
        length = length&.to_int
        offset = offset&.to_int&.then { |from| from unless from.negative? }
        from = stream(source, READ)
        to = stream(target, WRITE, 0o666) if from
        if to.nil? || length&.negative?
          return @core.call(from || source, target, length, offset)
        end

        copy(from, to, length, offset)
      ensure
        @opened.each(&:close)
      end

      private

      # Nil for what core reads or writes by its methods.
      def stream(object, *mode)
        return object if object.is_a?(IO)
        return unless object.is_a?(String) || object.respond_to?(:to_path)
        return if RactorLocal.main? && object.equal?(ARGF) # which other Ractors do not see

        IO.try_convert(object) || File.open(object, *mode).tap { |file| @opened << file }
      end

      def copy(from, to, length, offset)
        # Copies nothing yet, but checks both, and writes the target's buffer.
        @core.call(from, to, 0)
        return 0 if length&.zero?
        return copy_between_files(from, to, length, offset) if from.stat.file? && to.stat.file?
        return copy_from_file(from, to, length, offset) if from.stat.file?
        return @core.call(from, to, length, offset) if offset # which streams do not have

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
            @core.call(from, to, (piece unless rest <= 0), offset && (offset + total))
          end
          total += copied
          return total if copied < piece || total >= rest
        end
      end

      def file_operation(bytes, &)
        (bytes <= PIECE) ? Fiber.blocking(&) : @scheduler.offload.call_to_end(&)
      end

      # Files of /proc report a size of 0.
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
          @scheduler.yield if count == PIECE && (position / PIECE % (TURN_BYTES / PIECE)).zero?
        end
        position - start
      ensure
        from.seek(position) unless offset || from.closed?
      end

      def send_piece(from, to, position, length)
        from.pread(length, position) unless Engine.cached?(from, position)
        loop do
          count = Engine.sendfile(to, from, position, length)
          return count unless count.negative?
          return write_piece(from, to, position, length) if count != -Errno::EAGAIN::Errno

          @scheduler.await_readiness(:write, to, 0)
        end
      end

      # Where sendfile(2) cannot do it.
      def write_piece(from, to, position, length)
        transfer_chunk(to) { from.pread(length, position) }
      rescue EOFError
        0
      end

      def pump(length)
        buffer = String.new(capacity: CHUNK)
        total = turn = 0
        until total == length
          total += yield(length ? [CHUNK, length - total].min : CHUNK, buffer)
          next if total - turn < TURN_BYTES

          turn = total
          @scheduler.yield
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
