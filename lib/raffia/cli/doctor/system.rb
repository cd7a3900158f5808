# frozen_string_literal: true

require "etc"

module Raffia
  module CLI
    class Doctor < Command
      # Limits of the kernel; nil where a system or kernel does not have them.
      class System
        # root: of the system's files; another folder in tests.
        def initialize(root: "/", process: ::Process, cores: Etc.nprocessors)
          @root = root
          @process = process
          @cores = cores
        end

        # The cores that this process may run on.
        attr_reader :cores

        # A number from /proc/sys, such as "vm.max_map_count".
        def sysctl(name) = read("proc/sys/#{name.tr(".", "/")}")&.to_i

        # Soft and hard limit.
        def rlimit(name)
          @process.getrlimit(name)
        rescue ArgumentError, NotImplementedError
          nil
        end

        # The value of {#rlimit} for "no limit".
        def unlimited = ::Process::RLIM_INFINITY

        # The CPU quota of our cgroup in cores, nil when there is none.
        def cpu_quota
          quotas = cgroup_files("cpu.max").map { |text| text.split.first(2) } + cpu_quotas_v1
          quotas.filter_map { |quota, period|
            Float(quota) / Float(period) if quota.match?(/\A\d+\z/)
          }.min
        end

        # The memory limit of our cgroup in bytes, nil when there is none.
        def memory_limit
          texts = cgroup_files("memory.max") + cgroup_files("memory.limit_in_bytes", "memory")
          texts.filter_map { |text| text.to_i if text.match?(/\A\d+\z/) && text.to_i < NO_LIMIT_V1 }
            .min
        end

        private

        # cgroup v1 has no word for "no limit", only a number as large as pages allow.
        NO_LIMIT_V1 = 1 << 62
        private_constant :NO_LIMIT_V1

        def cpu_quotas_v1
          cgroup_files("cpu.cfs_quota_us", "cpu").zip(cgroup_files("cpu.cfs_period_us", "cpu"))
        end

        # The file in our cgroup and in all above it: each level may set a limit, and the lowest
        # holds. In a container, some levels of the path are often not mounted.
        def cgroup_files(file, controller = nil)
          path = cgroup_path(controller) or return []
          mount = controller ? "sys/fs/cgroup/#{controller}" : "sys/fs/cgroup"
          levels = path.split("/").reject(&:empty?)
          levels.size.downto(0).filter_map do |depth|
            read(File.join(mount, *levels.first(depth), file))
          end
        end

        # /proc/self/cgroup has a line `0::/path` for v2, and `4:memory:/path` for v1.
        def cgroup_path(controller)
          read("proc/self/cgroup")&.lines&.filter_map { |line|
            _id, controllers, path = line.chomp.split(":", 3)
            path if controller ? controllers.split(",").include?(controller) : controllers.empty?
          }&.first
        end

        def read(path)
          File.read(File.join(@root, path)).strip
        rescue SystemCallError
          nil
        end
      end
    end
  end
end
