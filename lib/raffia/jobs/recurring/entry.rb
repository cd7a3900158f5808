# frozen_string_literal: true

require_relative "../configured_job"
require_relative "../client/payload_builder"
require_relative "recurrence"

module Raffia
  module Jobs
    module Recurring
      # A recurring job, as the store keeps it.
      #
      # @!attribute [r] spec
      #   @return [String, Numeric] cron, words, or an interval in seconds
      # @!attribute [r] job
      #   @return [String] the name of the class
      # @!attribute [r] queue
      #   @return [String, nil] nil: the class's
      # @!attribute [r] catch_up
      #   @return [Symbol] what to do about times without a worker: :skip, or enqueue :once or :all
      # @!attribute [r] source
      #   @return [Symbol] :code, declared in the program, or :data, in the store only
      Entry = Data.define(:name, :spec, :zone, :job, :args, :queue, :catch_up, :source)

      class Entry
        # Ways to treat missed times.
        CATCH_UP = %i[skip once all].freeze

        # @raise [ConfigError, BadArguments]
        def self.build(name, spec, job, args: [], zone: nil, queue: nil, catch_up: :once,
          source: :data)
          unless Client::PayloadBuilder::QUEUE.match?(name.to_s)
            raise ConfigError, "#{name.inspect} is no name for a recurring job: use letters, " \
              "digits and _ : . -"
          end
          unless CATCH_UP.include?(catch_up&.to_sym)
            raise ConfigError, "catch_up must be one of #{CATCH_UP.join(", ")}, not " \
              "#{catch_up.inspect}"
          end

          if job.is_a?(Class) && !job.method_defined?(:perform) && !job.respond_to?(:job_options)
            raise ConfigError, "the recurring job #{name}: #{job} is no job: it needs " \
              "`include Raffia::Job`"
          end

          Client::PayloadBuilder.check_arguments(job.to_s, args)
          check_secrets(name, job.to_s, args)
          new(name: name.to_s, spec: spec, zone: zone, job: job.to_s, args: args,
            queue: queue&.to_s, catch_up: catch_up.to_sym, source: source.to_sym).tap(&:times)
        end

        # The store keeps the arguments of a recurring job as they are.
        private_class_method def self.check_secrets(name, job, args)
          which = Encryption.secrets_of(job)["encrypt"]
          return unless (which == true) ? args.any? : Array(which || nil).any? { |i| i < args.size }

          raise ConfigError, "the recurring job #{name} has arguments that #{job} encrypts, and " \
            "they would be stored as plain text: let the job find them itself"
        end

        # @api private
        def self.load(json)
          fields = JSON.parse(json).transform_keys(&:to_sym)
          build(fields.delete(:name), fields.delete(:spec), fields.delete(:job), **fields)
        end

        # @api private
        def dump = JSON.generate(to_h)

        # When it recurs.
        def times = Recurrence.new(spec, zone: zone)

        # Item for {Client#draft}; +tick+ is the time of the schedule.
        def item(tick)
          item = if (job = known)
            draft(job)
          else
            {"class" => self.job, "args" => args, "queue" => queue}.compact
          end
          item.merge(Payload::OWN => {**item[Payload::OWN].to_h, "recurring" => name,
                                                                 "tick" => tick})
        end

        private

        # Active Jobs make their items themselves.
        def draft(job)
          if job.respond_to?(:job_item)
            job.job_item(*args, queue: queue)
          else
            ConfiguredJob.new(job, {queue: queue}.compact).item(args)
          end
        end

        # The class has options, but the enqueueing process may not have loaded it.
        def known
          found = Object.const_get(job)
          found if found.respond_to?(:job_options) || found.respond_to?(:job_item)
        rescue NameError
          nil
        end
      end
    end
  end
end
