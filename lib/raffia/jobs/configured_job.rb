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
      # @raise [ConfigError]
      def perform_in(seconds, *args)
        perform_at(Time.now.to_f + number(seconds, "perform_in takes seconds, such as 60"), *args)
      end

      # @return [String, nil]
      # @raise [ConfigError]
      def perform_at(time, *args) = enqueue([item(args, seconds(time))]).first

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
          start = seconds(at || Time.now)
          spread = number(spread, "spread: takes seconds, such as 60")
          return Array.new(size) { |index| start + spread * index / size }
        end
        return at && Array.new(size, seconds(at)) unless at.is_a?(Array)
        raise ConfigError, "there are #{at.size} times for #{size} jobs" unless at.size == size

        at.map { |time| seconds(time) }
      end

      def seconds(time)
        number(time, "a time is a Time or seconds since 1970, such as Time.now + 60")
      end

      # Active Support's times and durations are no Numeric. A String or nil would be 0.
      def number(value, wanted)
        return value.to_f unless value.nil? || value.is_a?(String) || !value.respond_to?(:to_f)

        raise ConfigError, "#{@job}: #{wanted}, and not #{value.inspect}"
      end
    end
  end
end
