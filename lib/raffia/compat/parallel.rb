# frozen_string_literal: true

require_relative "layers"

Raffia::Compat.claim(:parallel)

require_relative "../../raffia"
require_relative "parallel/errors"
require_relative "parallel/request"
require_relative "parallel/call"
require_relative "parallel/inline_call"

# The interface of the gem parallel 2.3 over Raffia's workers. guides/from_parallel.md says what
# differs.
#
#     Parallel.map(urls, in_threads: 8) { |url| fetch(url) }
#     Parallel.each(files) { |file| compress(file) }          # in processes, one for each processor
#
# Options, for all of them: in_processes:, in_threads:, in_ractors: (with ractor: [Class, :method]
# in place of a block); count: for {in_processes} and {in_threads}; start:, finish:,
# finish_in_order:; progress:; preserve_results:, discard_results:; isolation:; interrupt_signal:. A
# source is anything with +to_a+, a callable that gives items until it gives {Stop}, or a Queue that
# ends with {Stop}.
module Parallel
  # Of the gem whose interface this is.
  VERSION = Version = "2.3.0" # standard:disable Naming/ConstantName

  # What a callable or a Queue gives after its last item.
  Stop = Object.new.freeze

  # What +serializer:+ may name.
  module Serializer
    Marshal = ::Marshal
  end

  class << self
    # @param source [#to_a, #call, Thread::Queue]
    # @return [Array] the block's results, in order; the value of a {Break}
    # @raise [Exception] what the block or a hook raised, when the items that other workers are at
    #   have ended
    # @raise [DeadWorker]
    # @raise [ArgumentError]
    def map(source, options = {}, &block)
      request = Raffia::Compat::Parallel::Request.new(source, options, block)
      if request.workers.zero?
        Raffia::Compat::Parallel::InlineCall.new(request).call
      else
        Raffia::Compat::Parallel::Call.new(request).call
      end
    end

    # @return [Object] the source; the value of a {Break}
    # @raise (see #map)
    def each(source, options = {}, &) = map(source, options.merge(discard_results: true), &)

    # @return [Object] the source
    def each_with_index(source, options = {}, &) = each(source, options.merge(with_index: true), &)

    # @return [Array]
    def map_with_index(source, options = {}, &) = map(source, options.merge(with_index: true), &)

    # @return [Array]
    def flat_map(...) = map(...).flatten(1)

    # @return [Array]
    def filter_map(...) = map(...).select(&:itself)

    # @return [Boolean] whether the block says yes to an item; the work on the others is ended then
    def any?(*arguments, &block)
      raise "You must provide a block when calling #any?" unless block

      !each(*arguments) { |*items| raise Kill if block.call(*items) }
    end

    # @return [Boolean]
    def all?(*arguments, &block)
      raise "You must provide a block when calling #all?" unless block

      !!each(*arguments) { |*items| raise Kill unless block.call(*items) }
    end

    # Runs the block so many times at once.
    # @param options [Integer, Hash] the number, or count:
    # @yieldparam number [Integer]
    # @return [Array]
    def in_threads(options = {count: 2}, &)
      count, = count_and_options(options)
      raise ArgumentError, "in_threads needs a number, or count:" unless count

      Raffia.map(0...count, on: :threads, workers: [count, 1].max, chunk: 1, &)
    end

    # The same in processes.
    # @return [Array]
    def in_processes(options = {}, &)
      count, options = count_and_options(options)
      count ||= processor_count
      map(0...count, options.merge(in_processes: count), &)
    end

    # @return [Integer] how many processors this process may use, quotas of containers included; or
    #   what PARALLEL_PROCESSOR_COUNT says
    def processor_count = Raffia::Compat::Config.load.processors || Raffia::Executor::Cpus.count

    # @return [Integer] how many cores they are
    def physical_processor_count = Raffia::Executor::Cpus.cores

    # @return [Integer, nil] the number of the worker, from 0; nil outside of one. Ractors have none
    def worker_number = Thread.current[:parallel_worker_number]

    # @param number [Integer, nil]
    def worker_number=(number)
      Thread.current[:parallel_worker_number] = number
    end

    private

    def count_and_options(options)
      options.is_a?(Hash) ? [options[:count], options] : [options, {}]
    end
  end
end
