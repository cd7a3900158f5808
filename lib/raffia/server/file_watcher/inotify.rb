# frozen_string_literal: true

require_relative "../../base/optional"

module Raffia
  class Server
    class FileWatcher
      # Changes of files by inotify(7), called by Fiddle. Folders are watched, because editors
      # replace files.
      #
      # @api private
      class Inotify
        # IN_MODIFY, IN_ATTRIB, IN_CLOSE_WRITE, IN_MOVED_FROM, IN_MOVED_TO, IN_CREATE, IN_DELETE
        EVENTS = 0x2 | 0x4 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200
        # IN_CLOEXEC, which is O_CLOEXEC
        FLAGS = 0o2000000
        # Bytes of an event before its name.
        HEAD = 16
        OVERFLOW = 0x4000
        private_constant :EVENTS, :FLAGS, :HEAD, :OVERFLOW

        # Nil where there is none.
        def self.open
          Optional.gem("fiddle", for: "inotify")
          new
        rescue MissingDependency, SystemCallError
          nil
        rescue ::Fiddle::DLError
          nil # a kernel without these calls
        end

        def initialize
          descriptor = function("inotify_init1", [::Fiddle::TYPE_INT]).call(FLAGS)
          raise SystemCallError.new("inotify_init1", ::Fiddle.last_error) if descriptor.negative?

          @add = function("inotify_add_watch",
            [::Fiddle::TYPE_INT, ::Fiddle::TYPE_VOIDP, ::Fiddle::TYPE_INT])
          @io = ::IO.for_fd(descriptor, "rb")
        end

        # A folder that is watched already stays as it is. Raises Errno::ENOSPC when the user has
        # too many (fs.inotify.max_user_watches).
        def begin(folders) = folders.each { |folder| add(folder) }

        # Reads all events. Whether one of them is about a source file or a folder.
        def changed?
          events = @io.read_nonblock(64 * 1024, exception: false)
          return false unless events.is_a?(::String)

          at = 0
          found = false
          while at < events.bytesize
            _, mask, _, length = events.byteslice(at, HEAD).unpack("lLLL")
            name = events.byteslice(at + HEAD, length).delete("\0")
            found ||= mask.anybits?(OVERFLOW) || folder?(mask, name) || FileWatcher.source?(name)
            at += HEAD + length
          end
          found
        end

        def close = @io.close

        private

        # A folder may be gone, or not to be read.
        def add(folder)
          return unless @add.call(@io.fileno, folder, EVENTS).negative?

          error = SystemCallError.new("inotify_add_watch", ::Fiddle.last_error)
          raise error if error.is_a?(Errno::ENOSPC) || error.is_a?(Errno::ENOMEM)
        end

        # IN_ISDIR: a folder is new, or was moved. It may have files already.
        def folder?(mask, name)
          mask.anybits?(0x40000000) && mask.anybits?(0x40 | 0x80 | 0x100) &&
            FileWatcher.folder?(name)
        end

        def function(name, arguments)
          ::Fiddle::Function.new(::Fiddle::Handle::DEFAULT[name], arguments, ::Fiddle::TYPE_INT)
        end
      end
    end
  end
end
