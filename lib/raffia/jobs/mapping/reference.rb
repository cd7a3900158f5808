# frozen_string_literal: true

require_relative "../error"
require_relative "../perform"

module Raffia
  module Jobs
    module Mapping
      # A block that workers find by its name: a job class, or a method of a module.
      class Reference < Proc
        # @return [String] "ResizeJob", or "Images.resize"
        attr_reader :name

        # @param name [String]
        # @yield the block itself
        def initialize(name)
          super()
          @name = name.dup.freeze
        end

        class << self
          # @param job [Class]
          # @return [Reference]
          def to_job(job)
            named(job)
            new(job.name) { |*items| job.new.perform(*items) }
          end

          # @param owner [Module]
          # @param method [Symbol]
          # @return [Reference]
          def to_method(owner, method)
            named(owner)
            unless owner.respond_to?(method)
              raise ConfigError, "#{owner} has no public method #{method}"
            end

            new("#{owner.name}.#{method}") { |*items| owner.public_send(method, *items) }
          end

          # @param name [String]
          # @return [Reference]
          # @raise [UnknownJob] when this worker has no such name
          def find(name)
            owner, method = name.split(".", 2)
            return to_job(Perform.job_class(owner)) unless method

            to_method(Object.const_get(owner), method)
          rescue NameError => error
            raise UnknownJob, "this worker knows no #{name} (#{error.message}): require the file " \
              "that has it (raffia work -r FILE)"
          end

          private

          def named(owner)
            owner.name ||
              raise(ConfigError, "#{owner.inspect} has no name, by which workers could find it")
          end
        end
      end
    end
  end
end
