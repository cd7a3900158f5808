# frozen_string_literal: true

module Raffia
  module Lab
    # Limits of the kernel that a run's processes need raised. They are raised for these processes
    # alone.
    module Limits
      module_function

      # @param needs [Hash{Symbol => Integer}] such as +{nofile: 1_224}+
      # @return [Hash{Symbol => Array(Integer, Integer)}] options for Process.spawn; empty when
      #   nothing has to be raised
      def spawn_options(needs)
        needs.each_with_object({}) do |(name, wanted), options|
          soft, hard = ::Process.getrlimit(name.to_s.upcase)
          options[:"rlimit_#{name}"] = [wanted, [wanted, hard].max] if soft < wanted
        end
      end

      # @return [String, nil] what to do, when a limit is too low here and cannot be raised
      def obstacle(needs)
        needs.each do |name, wanted|
          hard = ::Process.getrlimit(name.to_s.upcase).last
          return advice(name, wanted, hard) unless hard >= wanted || raisable?(name, wanted)
        end
        nil
      end

      # Only trying tells: root may lack the capability, and a container may give it to others.
      def raisable?(name, wanted)
        ::Process.wait(::Process.spawn("true", "rlimit_#{name}": [wanted, wanted], err: File::NULL))
        true
      rescue SystemCallError
        false
      end

      def advice(name, wanted, hard)
        "needs a limit of #{wanted} for #{name} in each process; the hard limit here is #{hard} " \
        "and cannot be raised from " \
          "here. Raise it as root: prlimit --pid $$ --#{name}=#{wanted}:#{wanted} in the shell, " \
          "or in " \
          "/etc/security/limits.conf, or LimitNOFILE= of the service"
      end

      private_class_method :raisable?, :advice
    end
  end
end
