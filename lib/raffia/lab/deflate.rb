# frozen_string_literal: true

require "zlib"
require_relative "experiment"

module Raffia
  module Lab
    # Buffers deflated and inflated. zlib releases the GVL, so threads run this CPU work in
    # parallel. From Ruby 3.4 on fibers do, too: the scheduler moves the call to its blocking pool.
    class Deflate < Experiment
      BUFFERS = 16
      BLOCKS = 64
      # Larger than deflate's window of 32 KiB, so that the repeated blocks save it no work.
      BLOCK = 65_536

      # Sends a buffer of so many blocks through deflate and inflate. Returns its bytes before and
      # after deflate; 0 before when it came back changed.
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

      def warm_up(setting) = Control.map(setting, [0, 1], Work.new(Deflate, :round_trip, [1]))

      def perform(setting)
        work = Work.new(Deflate, :round_trip, [setting.params[:blocks]])
        trips = Control.map(setting, 0...setting.params[:buffers], work)
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
