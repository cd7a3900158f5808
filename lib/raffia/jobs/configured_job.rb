# frozen_string_literal: true

require_relative "execution"
require_relative "job/options"

module Raffia
  module Jobs
    # A job class with options for one call: `MailJob.set(queue: "slow").perform_async(1)`.
    class ConfiguredJob
      # @param job [Class]
      # @param given [Hash] see {Job::Options#options}; `batch:` is an id, `connection:` one for
      #   {Jobs.transaction}
      def initialize(job, given)
        unless given.empty?
          Job::OptionCheck.options(job, given.except(:batch, :connection), job.options)
        end
        @job = job
        @given = given
      end

      # @return [ConfiguredJob] with further options
      def set(**options) = ConfiguredJob.new(@job, @given.merge(options))

      # @return [String, nil]
      def perform_async(*args) = enqueue([item(args)]).first

      # @return [String, nil]
      def perform_in(seconds, *args) = perform_at(Time.now.to_f + seconds, *args)

      # @return [String, nil]
      def perform_at(time, *args) = enqueue([item(args, time.to_f)]).first

      # @return [Array<String, nil>]
      # @raise [ConfigError] when the numbers of times and jobs differ
      def perform_bulk(list, at: nil, spread: nil)
        times = times(list.size, at, spread)
        return enqueue_list(list) unless times

        enqueue(list.zip(times).map { |args, time| item(args, time) })
      end

      # @return [Object] see {Job::Enqueue#perform_inline}
      def perform_inline(*args)
        item = Client::PayloadBuilder.build(item(args))
        Execution.call(Payload.load(Payload.dump(item)), Setup.current.worker_middleware)
      end

      # @param args [Array]
      # @param at [Float, nil]
      # @return [Hash] what {Client#enqueue} takes
      def item(args, at = nil)
        item = {"class" => @job, "args" => args}
        item.update(Job::PayloadFields.plain(@given)) unless @given.empty?
        own = own_fields(args, at)
        item[Payload::OWN] = own if own
        item["at"] = at if at
        item
      end

      private

      def own_fields(args, at)
        options = @given.empty? ? @job.options : @job.options.merge(@given)
        return if options.empty?

        own = Job::PayloadFields.own(options, @job.name, args, at || Time.now.to_f)
        own = {**own.to_h, "batch" => @given[:batch]} if @given[:batch]
        own = {**own.to_h, "flow" => @job.flow_fields(options)} if @job.respond_to?(:flow_fields)
        own
      end

      # Jobs that differ in their arguments only need not be built one by one.
      def enqueue_list(list)
        alike = @given.empty? && !Job::PayloadFields.own?(@job.options)
        ids = Setup.current.client.enqueue_list(@job, list) if alike
        ids || enqueue(list.map { |args| item(args) })
      end

      def enqueue(items)
        client = Setup.current.client
        return client.enqueue(items) unless @given[:connection]

        client.store.within(@given[:connection]) { client.enqueue(items) }
      end

      def times(size, at, spread)
        if spread
          start = (at || Time.now).to_f
          return Array.new(size) { |index| start + spread.to_f * index / size }
        end
        return at && Array.new(size, at.to_f) unless at.is_a?(Array)
        raise ConfigError, "there are #{at.size} times for #{size} jobs" unless at.size == size

        at.map(&:to_f)
      end
    end
  end
end
