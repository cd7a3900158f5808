# frozen_string_literal: true

module Raffia
  module Lab
    # Limits of the kernel, raised for the processes of a run alone.
    module Limits
      extend self

      # Options for Process.spawn; empty when the limits are high enough.
      def spawn_options(needs)
        needs.each_with_object({}) do |(name, wanted), options|
          soft, hard = ::Process.getrlimit(name.to_s.upcase)
          options[:"rlimit_#{name}"] = [wanted, [wanted, hard].max] if soft < wanted
        end
      end

      # Advice when a limit is too low here and cannot be raised, else nil.
      def obstacle(needs)
        needs.each do |name, wanted|
          hard = ::Process.getrlimit(name.to_s.upcase).last
          return advice(name, wanted, hard) unless hard >= wanted || raisable?(name, wanted)
        end
        nil
      end

      private

      # Only a trial shows it: root may lack the capability, and a container may have it.
      def raisable?(name, wanted)
        !system("true", "rlimit_#{name}": [wanted, wanted], err: File::NULL).nil?
      end

      def advice(name, wanted, hard)
        "needs a limit of #{wanted} for #{name} in each process; the hard limit here is #{hard} " \
          "and cannot be raised from here. Raise it as root: prlimit --pid $$ " \
          "--#{name}=#{wanted}:#{wanted} in the shell, or in /etc/security/limits.conf, or " \
          "LimitNOFILE= of the service"
      end
    end
  end
end
