# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQLite < SQL
        # Where a database may be: all that have it open share memory, so they must be on one machine.
        # @api private
        module Place
          NETWORK = /\A(?:nfs\d?|cifs|smb\d?|smbfs|9p|afs|ceph|glusterfs|lustre|fuse\.(?:sshfs|glusterfs|s3fs|rclone))\z/
          MOUNTS = "/proc/self/mounts"

          module_function

          # @param path [String] of the file
          # @raise [StoreUnavailable]
          def check(path, mounts = MOUNTS)
            type = file_system(File.dirname(path), mounts) or return
            return unless NETWORK.match?(type)

            raise StoreRefused, "#{path} is on a network's file system (#{type}), where SQLite cannot be shared safely: " \
              "put it on a local disk, or use a store with a server, such as redis: or postgres:"
          end

          # @return [String, nil] its type; nil where nobody says
          def file_system(dir, mounts)
            dir = File.realpath(dir)
            points = File.readlines(mounts).map { |line| line.split(" ").values_at(1, 2) }
            points.select { |point, _| within?(dir, unescape(point)) }.max_by { |point, _| point.size }&.last
          rescue SystemCallError
            nil
          end

          def within?(dir, point) = point == "/" || dir == point || dir.start_with?("#{point}/")

          # Spaces and the like are in octal.
          def unescape(point) = point.gsub(/\\(\d{3})/) { $1.oct.chr }
        end
      end
    end
  end
end
