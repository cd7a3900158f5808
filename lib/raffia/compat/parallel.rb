# frozen_string_literal: true

require_relative "layers"

Raffia::Compat.claim(:parallel)

require_relative "../../raffia"
require_relative "parallel/errors"
require_relative "parallel/request"
require_relative "parallel/call"
require_relative "parallel/inline_call"

# The interface of the gem parallel 2.3 over Raffia's workers. guides/from_parallel.md has the
# differences.
#
#     Parallel.map(urls, in_threads: 8) { |url| fetch(url) }
#     Parallel.each(files) { |file| compress(file) }          # in processes, one for each processor
#
# Options: in_processes:, in_threads:, in_ractors: (with ractor: [Class, :method] instead of a
# block); count: for {in_processes} and {in_threads}; start:, finish:, finish_in_order:; progress:;
# preserve_results:, discard_results:; isolation:; interrupt_signal:. A source has +to_a+, or is a
# callable or a Queue that ends with {Stop}.
module Parallel
  VERSION = Version = "2.3.0" # standard:disable Naming/ConstantName

  Stop = Raffia::Compat::Parallel::ItemFeed::STOP

  module Serializer
    Marshal = ::Marshal
  end

  class << self
    # The block's results in order, or the value of a {Break}. Raises what the block or a hook
    # raised, after the items that other workers execute have ended.
    def map(source, options = {}, &block)
      request = Raffia::Compat::Parallel::Request.new(source, options, block,
        method(:processor_count))
      if request.workers.zero?
        Raffia::Compat::Parallel::InlineCall.new(request).call
      else
        Raffia::Compat::Parallel::Call.new(request).call
      end
    end

    # The source, or the value of a {Break}.
    def each(source, options = {}, &) = map(source, options.merge(discard_results: true), &)

    def each_with_index(source, options = {}, &) = each(source, options.merge(with_index: true), &)

    def map_with_index(source, options = {}, &) = map(source, options.merge(with_index: true), &)

    def flat_map(...) = map(...).flatten(1)

    def filter_map(...) = map(...).select(&:itself)

    # Ends the work on other items at the first one for which the block is true.
    def any?(*arguments, &block)
      raise "You must provide a block when calling #any?" unless block

      !each(*arguments) { |*items| raise Kill if block.call(*items) }
    end

    def all?(*arguments, &block)
      raise "You must provide a block when calling #all?" unless block

      !!each(*arguments) { |*items| raise Kill unless block.call(*items) }
    end

    # Runs the block on that many threads at once; +options+ is the number or has +count:+.
    def in_threads(options = {count: 2}, &)
      count, = count_and_options(options)
      raise ArgumentError, "in_threads needs a number, or count:" unless count

      Raffia.map(0...count, on: :threads, workers: [count, 1].max, chunk: 1, &)
    end

    def in_processes(options = {}, &)
      count, options = count_and_options(options)
      count ||= processor_count
      map(0...count, options.merge(in_processes: count), &)
    end

    # Processors that this process may use, by PARALLEL_PROCESSOR_COUNT or the container's quota.
    def processor_count = Raffia::Compat::Config.load.processors || Raffia::Executor::Cpus.count

    def physical_processor_count = Raffia::Executor::Cpus.cores

    # Index of the running worker, from 0; nil outside of one and in Ractors.
    def worker_number = Raffia::Compat::Parallel::WorkerSlots.number

    def worker_number=(number)
      Raffia::Compat::Parallel::WorkerSlots.number = number
    end

    private

    def count_and_options(options)
      options.is_a?(Hash) ? [options[:count], options] : [options, {}]
    end
  end
end
