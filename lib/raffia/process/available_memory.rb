# frozen_string_literal: true

module Raffia
  module Process
    # Memory that this program can still take: of the machine, and of its control group and those
    # above it, whose page cache counts as free.
    #
    # @api private
    module AvailableMemory
      ROOT = "/sys/fs/cgroup"
      # Trees of version 1, and the names of its files.
      FILES = {"" => %w[memory.max memory.current inactive_file],
               "memory" => %w[memory.limit_in_bytes memory.usage_in_bytes total_inactive_file]}.freeze
      private_constant :FILES

      class << self
        # Bytes; nil where the system does not tell.
        def bytes(root: ROOT, membership: "/proc/self/cgroup", machine: "/proc/meminfo")
          [of_machine(machine), *of_groups(root, membership)].compact.min
        end

        private

        def of_machine(path)
          read(path)&.[](/^MemAvailable:\s+(\d+) kB/, 1)&.to_i&.*(1024)
        end

        # A container may not see its own group: a missing group has no limit.
        def of_groups(root, membership)
          groups = read(membership).to_s
          paths = {"" => groups[/^0::(.*)$/, 1],
                   "memory" => groups[/^\d+:(?:\w+,)*memory(?:,\w+)*:(.*)$/, 1]}
          paths.flat_map do |tree, path|
            parts = path.to_s.split("/").reject { |part| part.empty? || part == ".." }
            (0..parts.size).filter_map do |depth|
              free(::File.join(root, tree, *parts.first(depth)), *FILES[tree])
            end
          end
        end

        def free(group, limit, usage, cache)
          limit = number(group, limit) or return
          used = number(group, usage) or return
          cached = read(::File.join(group, "memory.stat"))&.[](/^#{cache} (\d+)$/, 1).to_i
          [limit - used + cached, 0].max
        end

        # nil for "max".
        def number(group, file) = read(::File.join(group, file))&.[](/\A\d+/)&.to_i

        def read(path)
          ::File.read(path)
        rescue SystemCallError
          nil
        end
      end
    end
  end
end
