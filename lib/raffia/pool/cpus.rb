# frozen_string_literal: true

require "etc"

module Raffia
  class Pool
    # How many processors this process may really use: the ones its affinity mask names, or fewer when a control group (a
    # container) grants it less time than that. A quota of one and a half processors counts as two, so that none of it is lost.
    #
    # @api private
    module Cpus
      ROOT = "/sys/fs/cgroup"

      # @param root [String] where the control groups are mounted
      # @param membership [String] the file that names our own group
      # @return [Integer] at least 1
      def self.count(root: ROOT, membership: "/proc/self/cgroup")
        [Etc.nprocessors, *quotas(root, membership).map(&:ceil)].min.clamp(1..)
      end

      # The quotas of our group and of each group above it, in processors; the tightest one holds.
      # @return [Array<Float>]
      def self.quotas(root, membership)
        path = File.read(membership)[/^0::(.*)$/, 1] or return []
        parts = path.split("/").reject { |part| part.empty? || part == ".." }
        (0..parts.size).filter_map { |depth| quota(File.join(root, *parts.first(depth), "cpu.max")) }
      rescue SystemCallError
        []
      end
      private_class_method :quotas

      # @return [Float, nil] nil when the group has no limit
      def self.quota(file)
        time, period = File.read(file).split.map(&:to_f)
        time / period if time&.positive? && period&.positive?
      rescue SystemCallError
        nil
      end
      private_class_method :quota
    end
  end
end
