# frozen_string_literal: true

module Raffia
  module Jobs
    class Client
      # Builds the payloads of many jobs of one class that differ in arguments and id only: their
      # other fields are written as JSON once.
      # @api private
      class PayloadTemplate
        # Returns nil when the jobs have fields under "raffia", as those of a batch.
        def self.for(job)
          sample = PayloadBuilder.build("class" => job, "args" => [])
          new(sample) unless sample.key?(Payload::OWN)
        end

        def initialize(sample)
          @name = sample["class"]
          @queue = sample["queue"].freeze
          @beginning = "#{JSON.generate(sample.except("jid", "args")).chop},\"jid\":\"".freeze
        end

        # Raises as {PayloadBuilder.build} and {Payload.dump} do.
        def drafts(list)
          ids = Payload.ids(list.size)
          list.map { |args| draft(args, ids.pop) }
        end

        private

        def draft(args, id)
          PayloadBuilder.check_arguments(@name, args)
          payload = "#{@beginning}#{id}\",\"args\":#{JSON.generate(args)}}"
          size = payload.bytesize
          raise Payload.too_large(id, @name, size) if size > Payload::LIMIT

          Draft.new(jid: id, queue: @queue, payload: payload, at: nil, extras: nil)
        rescue JSON::GeneratorError, JSON::NestingError => error
          raise Payload.unwritable(@name, error)
        end
      end
    end
  end
end
