# frozen_string_literal: true

require "fileutils"

module Raffia
  module Jobs
    module Stores
      class SQLite < SQL
        # Location and permissions of a database's file. Its processes share memory, so they must be
        # on one machine. Arguments of jobs are private, so a new file is its owner's alone.
        # @api private
        module DatabaseFile
          NETWORK =
            /\A(?:nfs\d?|cifs|smb\d?|smbfs|9p|afs|ceph|glusterfs|lustre|
              fuse\.(?:sshfs|glusterfs|s3fs|rclone))\z/x
          MOUNTS = "/proc/self/mounts"
          PRIVATE = 0o600
          # Bits of a file's mode => those of its folder.
          SEARCHABLE = {0o600 => 0o700, 0o060 => 0o070, 0o006 => 0o007}.freeze

          module_function

          def check(path, mounts = MOUNTS)
            type = file_system(File.dirname(path), mounts) or return
            return unless NETWORK.match?(type)

            raise StoreRefused,
              "#{path} is on a network's file system (#{type}), where SQLite cannot be shared " \
              "safely: put it on a local disk, or use a store with a server, such as redis: or " \
              "postgres:"
          end

          # Makes a private file. SQLite gives the files beside it the same mode.
          def create(path)
            File.open(path, File::WRONLY | File::CREAT | File::EXCL, PRIVATE, &:close)
          rescue SystemCallError
            nil # it exists, or SQLite reports why it cannot be made
          end

          def mode(path) = File.exist?(path) ? File.stat(path).mode & 0o666 : PRIVATE

          # Makes a folder for those who may write to the file. Another user may have made it in a
          # shared folder such as /tmp.
          def make_folder(path, database)
            bits = mode(database)
            mode = SEARCHABLE.sum { |file, folder| (bits & file == file) ? folder : 0 }
            FileUtils.mkdir_p(path, mode: mode)
            stat = File.stat(path)
            return File.chmod(mode, path) if stat.owned?

            unless File.exist?(database) && File.stat(database).uid == stat.uid
              raise Errno::EACCES, path
            end
          end

          # Nil when the system has no list of mounts.
          def file_system(dir, mounts)
            dir = File.realpath(dir)
            points = File.readlines(mounts).map { |line| line.split(" ").values_at(1, 2) }
            points.select { |point, _| within?(dir, unescape(point)) }
              .max_by { |point, _| point.size }&.last
          rescue SystemCallError
            nil
          end

          def within?(dir, point) = point == "/" || dir == point || dir.start_with?("#{point}/")

          # Spaces are in octal.
          def unescape(point) = point.gsub(/\\(\d{3})/) { $1.oct.chr }
        end
      end
    end
  end
end
