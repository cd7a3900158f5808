# frozen_string_literal: true

require_relative "../configured_job"

module Raffia
  module Jobs
    class Batch
      # Callback jobs of a batch, which are built when it is opened.
      # @api private
      class Callbacks
        EVENTS = %i[success complete death].freeze

        def initialize(batch_id)
          @id = batch_id
          @items = {}
        end

        def add(event, job, args, options)
          unless EVENTS.include?(event)
            raise ConfigError,
              "a batch has no event #{event.inspect}: use one of #{EVENTS.join(", ")}"
          end
          if @items.key?(event)
            raise ConfigError, "batch #{@id} has a callback on #{event} already: let that one do " \
              "both"
          end
          unless job.is_a?(Class) && job.respond_to?(:job_options)
            raise ConfigError, "#{job.inspect} is no job: it needs `include Raffia::Job`"
          end

          Client::PayloadBuilder.check_arguments(job.name, args)
          @items[event] = ConfiguredJob.new(job, options).item(args)
        end

        # Drafts by event, without those that a middleware rejects.
        def drafts(client)
          @items.to_h { |event, item| [event.to_s, draft(client, event, item)] }.compact
        end

        private

        # Removes times, because it is enqueued later.
        def draft(client, event, item)
          own = {**item[Payload::OWN].to_h.except("expires_at"),
            "callback" => {"batch" => @id, "event" => event.to_s}}
          draft = client.draft({**item, Payload::OWN => own}) or return
          draft.with(payload: Payload.dump(Payload.load(draft.payload).except("enqueued_at")))
        end
      end
    end
  end
end
