# frozen_string_literal: true

module Raffia
  class Scheduler
    class Portable < Scheduler
      # Reading and writing: see {Transfer}.
      #
      # @api private
      module Bytes
        EAGAIN = -Errno::EAGAIN::Errno
        private_constant :EAGAIN

        # Hook. Reads into +buffer+ from +offset+ on.
        #
        # @param io [IO]
        # @param buffer [IO::Buffer]
        # @param length [Integer] the least number of bytes to wait for; 0: try once
        # @param offset [Integer] bytes
        # @return [Integer] the number of bytes, 0 at the end of the file, or a negative errno
        def io_read(io, buffer, length, offset)
          count = transfer(:read, io, buffer, nil, length, offset)
          unless count == EAGAIN && caller_locations(1, 1).first&.base_label == "sysread"
            return count
          end

          # It waits, but unlike its kin it leaves that to us; only the name of the caller tells it
          # from IO#read_nonblock.
          transfer(:read, io, buffer, nil, 1, offset)
        end

        # Hook. The other way.
        # @return [Integer] as {#io_read}
        def io_write(io, buffer, length, offset) = transfer(:write, io, buffer, nil, length, offset)
      end
    end
  end
end
