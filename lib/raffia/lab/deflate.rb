# frozen_string_literal: true

require "zlib"
require_relative "experiment"
require_relative "mapping"

module Raffia
  module Lab
    # Buffers deflated and inflated. zlib lets go of the GVL, so this is CPU work that even threads
    # share out, and from Ruby 3.4 on fibers too, where the scheduler hands the call to its blocking
    # pool.
    class Deflate < Experiment
      BUFFERS = 16
      BLOCKS = 64
      # Larger than the 32 KiB in which deflate looks for repetitions, so that repeating the block
      # saves it no work.
      BLOCK = 65_536

      # Make a buffer, send it through deflate and inflate, and compare.
      #
      # @param seed [Integer]
      # @param blocks [Integer] its size, in blocks of {BLOCK} bytes
      # @return [Array(Integer, Integer)] bytes before and after deflate; 0 before when it came back
      #   changed
      def self.round_trip(seed, blocks)
        buffer = Random.new(seed).bytes(BLOCK / 2).unpack1("H*") * blocks
        small = ::Zlib::Deflate.deflate(buffer)
        back = ::Zlib::Inflate.inflate(small)
        [(back == buffer) ? buffer.bytesize : 0, small.bytesize]
      end

      def name = "zlib"

      def title = "buffers deflated and inflated: CPU work outside of the GVL"

      def controls = {plain_processes: :threads}

      def params(scale) = {buffers: BUFFERS, blocks: [(BLOCKS * scale).round, 1].max}

      def size(params)
        "#{params[:buffers]} buffers of #{format("%.1f", params[:blocks] * BLOCK / 1e6)} MB"
      end

      def warm_up(setting) = Mapping.call(setting, [0, 1], Work.new(Deflate, :round_trip, [1]))

      def perform(setting)
        work = Work.new(Deflate, :round_trip, [setting.params[:blocks]])
        trips = Mapping.call(setting, 0...setting.params[:buffers], work)
        {bytes: trips.map(&:first), deflated: trips.map(&:last)}
      end

      def verify(params, facts, _report)
        {
          "bytes round-tripped" => facts[:bytes] == [params[:blocks] * BLOCK] * params[:buffers],
          "deflate made them smaller" => facts[:deflated].zip(facts[:bytes])
            .all? { |after, before| after < before }
        }
      end

      def goals(rows)
        [Goal.at_least("threads at least 0.8x independent programs",
          rows.against(:threads, :plain_processes), 0.8)]
      end
    end
  end
end
