# frozen_string_literal: true

require "etc"
require_relative "config"

module Raffia
  module Executor
    # The processors that this process may really use: those of its affinity mask, or fewer when a
    # container's quota is smaller. Half a processor of a quota counts as a whole one.
    module Cpus
      ROOT = "/sys/fs/cgroup"
      TOPOLOGY = "/sys/devices/system/cpu"
      # Version 1 of control groups mounts the tree of a resource under one of these.
      FIRST_VERSION = %w[cpu cpu,cpuacct].freeze

      class << self
        def default_workers = Config.load.workers || count

        def count(root: ROOT, membership: "/proc/self/cgroup")
          [Etc.nprocessors, *quotas(root, membership).map(&:ceil)].min.clamp(1..)
        end

        # The cores among the processors; all of these where that is unknown. Two threads of one
        # core share what computes, so work that only computes gains little by the second.
        def cores(status: "/proc/self/status", topology: TOPOLOGY, most: count)
          list = read(status)[/^Cpus_allowed_list:\s*(\S+)/, 1] or return most
          cores = processors(list).map { |number| siblings(topology, number) }.uniq.size
          [most, cores].min.clamp(1..)
        rescue SystemCallError
          most
        end

        private

        # Not by File.read: tests of programs stub that, and the first blocking call of a run comes
        # here.
        def read(path) = IO.read(path)

        def processors(list)
          list.split(",").flat_map do |part|
            part.split("-").map(&:to_i).then { |ends| [*ends.first..ends.last] }
          end
        end

        def siblings(topology, number)
          read(File.join(topology, "cpu#{number}/topology/thread_siblings_list"))
        end

        # In processors, of our group and of each group above it; the tightest one holds.
        def quotas(root, membership)
          groups = read(membership)
          unified = groups[/^0::(.*)$/, 1]
          apart = groups[/^\d+:(?:\w+,)*cpu(?:,\w+)*:(.*)$/, 1]
          [*upwards(root, unified) { |group| quota(group) },
            *FIRST_VERSION.flat_map { |tree|
              upwards(File.join(root, tree), apart) { |group| first_version(group) }
            }]
        rescue SystemCallError
          []
        end

        # A container may not see its own group: a missing group has no quota.
        def upwards(root, path, &)
          return [] unless path

          parts = path.split("/").reject { |part| part.empty? || part == ".." }
          (0..parts.size).filter_map { |depth| yield File.join(root, *parts.first(depth)) }
        end

        def quota(group) = share { read(File.join(group, "cpu.max")).split }

        def first_version(group)
          share do
            %w[cpu.cfs_quota_us cpu.cfs_period_us].map { |name| read(File.join(group, name)) }
          end
        end

        # Words and a time of -1 mean no limit.
        def share
          time, period = yield.map(&:to_f)
          time / period if time&.positive? && period&.positive?
        rescue SystemCallError
          nil
        end
      end
    end
  end
end
