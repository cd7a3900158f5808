# frozen_string_literal: true

require_relative "../native"

module Raffia
  module Process
    # Flushes and discards Ruby's buffers of open files. A parent flushes before it forks, or its
    # children would write the same; a child flushes before +exit!+, which drops them.
    #
    # Only regular files with something to write: a flush of others moves the position that parent
    # and children share, or makes the writer wait.
    #
    # @api private
    module OutputBuffers
      class << self
        def flush
          buffered.each do |file|
            file.flush
          rescue
            nil # it was closed meanwhile; or the disk is full, which is for its owner to hear
          end
          nil
        end

        # In a child, before it writes anything: other threads of the parent may have written to a
        # file since its flush.
        def discard
          if Native.available?
            ::ObjectSpace.each_object(::File) { |file| Native.discard_write_buffer(file) }
          end
          nil
        end

        private

        # It takes half a millisecond, or 6 ms with a million objects; asking the system what is
        # open costs a large parent far more.
        def buffered = ::ObjectSpace.each_object(::File).select { |file| buffered?(file) }

        # Nothing here releases Ruby's lock, as fcntl would: beside a busy thread each time takes a
        # tenth of a second.
        def buffered?(file)
          !file.closed? && !file.sync && held?(file) && file.stat.file?
        rescue
          # not opened yet, closed meanwhile, frozen, or of a class that overrides these
          false
        end

        # Without the extension: files that cannot have read ahead may have something.
        def held?(file)
          held = Native.write_buffered?(file) if Native.available?
          held.nil? ? !readable?(file) : held
        end

        # Only Ruby knows without a system call, and this is how it tells.
        def readable?(file)
          file.lineno
          true
        rescue IOError
          false
        end
      end
    end
  end
end
