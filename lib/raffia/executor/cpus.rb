# frozen_string_literal: true

require "etc"
require_relative "config"

module Raffia
  module Executor
    # The processors that this process may really use: those of its affinity mask, or fewer when a
    # control group (a container) grants it less time than that. A quota of one and a half
    # processors counts as two, so that none of it is lost.
    module Cpus
      ROOT = "/sys/fs/cgroup"
      TOPOLOGY = "/sys/devices/system/cpu"
      # Version 1 of control groups has a tree for each resource, mounted under one of these.
      FIRST_VERSION = %w[cpu cpu,cpuacct].freeze

      class << self
        # One for each processor, or what RAFFIA_WORKERS says.
        def default_workers = Config.load.workers || count

        # At least 1.
        def count(root: ROOT, membership: "/proc/self/cgroup")
          [Etc.nprocessors, *quotas(root, membership).map(&:ceil)].min.clamp(1..)
        end

        # Processors that are threads of one core share what computes, so work that only computes
        # gains little by the second of them. The cores among them; all of them where nothing is
        # said about that.
        def cores(status: "/proc/self/status", topology: TOPOLOGY, most: count)
          list = read(status)[/^Cpus_allowed_list:\s*(\S+)/, 1] or return most
          cores = processors(list).map { |number| siblings(topology, number) }.uniq.size
          [most, cores].min.clamp(1..)
        rescue SystemCallError
          most
        end

        private

        # Not by File.read: programs' tests stub that, and the first blocking call of a run, which
        # sizes its pool of threads, may come in the middle of one.
        def read(path) = IO.read(path)

        def processors(list)
          list.split(",").flat_map do |part|
            part.split("-").map(&:to_i).then { |ends| [*ends.first..ends.last] }
          end
        end

        # The same for all processors of a core.
        def siblings(topology, number)
          read(File.join(topology, "cpu#{number}/topology/thread_siblings_list"))
        end

        # The quotas of our group and of each group above it, in processors; the tightest one holds.
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

        # A container may see its own group as the root, or not at all: a missing group has no
        # quota.
        def upwards(root, path, &)
          return [] unless path

          parts = path.split("/").reject { |part| part.empty? || part == ".." }
          (0..parts.size).filter_map { |depth| yield File.join(root, *parts.first(depth)) }
        end

        # nil when the group has no limit.
        def quota(group) = share { read(File.join(group, "cpu.max")).split }

        def first_version(group)
          share do
            %w[cpu.cfs_quota_us cpu.cfs_period_us].map { |name| read(File.join(group, name)) }
          end
        end

        # Words and a time of -1 mean that there is no limit.
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
