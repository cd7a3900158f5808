# frozen_string_literal: true

require "digest/sha2"
require "tmpdir"
require "zlib"
require_relative "experiment"
require_relative "pipeline/flow"
require_relative "service/slow_web"
require_relative "web/fetch"

module Raffia
  module Lab
    # Documents read from a slow server, digested and deflated, and written to files: waiting, CPU
    # and files mixed, as in most programs. In a pipeline, the waiting costs nothing.
    class Pipeline < Experiment
      DOCUMENTS = 200
      BYTES = 512 * 1_024
      DELAY = 20

      # The stage that takes CPU: returns the digest, and the text deflated.
      def self.pack(text) = [Digest::SHA256.hexdigest(text), Zlib::Deflate.deflate(text)]

      def name = "pipeline"

      def title = "read from sockets, digest and deflate, write to files"

      def controls = {plain_processes: :processes}

      def params(scale)
        {documents: [(DOCUMENTS * scale).round, 4].max, bytes: BYTES, delay: DELAY}
      end

      def size(params)
        "#{params[:documents]} documents of #{params[:bytes] / 1_024} KB, each answered after " \
          "#{params[:delay]} ms"
      end

      def service = :slow_web

      # Half of the work is waiting, which takes no core.
      def cpu_bound? = false

      def warm_up(setting)
        in_folder { |folder| run(setting, folder, documents: 2, bytes: 100, delay: 0) }
      end

      def perform(setting)
        params = setting.params
        in_folder do |folder|
          reading = Meter.measure { run(setting, folder, **params) }
          {seconds: reading.seconds, cpu: reading.cpu, digests: reading.value,
           right: right(folder, **params)}
        end
      end

      def verify(params, facts, report)
        expected = Array.new(params[:documents]) do |index|
          Digest::SHA256.hexdigest(Service::SlowWeb.document(index, params[:bytes]))
        end
        {
          "each document was read once" => report[:served] == expected.size &&
            report[:different] == expected.size,
          "the digests are right" => facts[:digests] == expected,
          "each file holds its document" => facts[:right] == expected.size
        }
      end

      def goals(rows)
        [Goal.at_least("processes at least 1x independent programs",
          rows.against(:processes, :plain_processes), 1.0)]
      end

      def notes(_params)
        ["inline does one thing after the other; in the others reading and writing are fibers, " \
          "and the strategy is where the CPU work goes"]
      end

      private

      def in_folder(&) = Dir.mktmpdir("raffia-lab-pipeline-", &)

      # Returns the digests.
      def run(setting, folder, documents:, bytes:, delay:)
        read = ->(index) {
          Web::Fetch.socket("/#{delay}/#{index}/#{bytes}", setting.service.fetch(:port))
        }
        write = ->(index, (digest, packed)) { File.binwrite(file(folder, index), packed) && digest }
        whole = ->(index) { write.call(index, Pipeline.pack(read.call(index))) }
        return Array.new(documents, &whole) if setting.variant == :inline
        if setting.variant == :plain_processes
          return Control.processes([*0...documents], setting.workers, whole)
        end
        Flow.new(0...documents, read:, write:, pack: Work.new(Pipeline, :pack).to_proc)
          .run(on: setting.variant, workers: setting.workers)
      end

      # Number of files that hold the right text.
      def right(folder, documents:, bytes:, **)
        (0...documents).count do |index|
          Zlib::Inflate.inflate(File.binread(file(folder, index))) ==
            Service::SlowWeb.document(index, bytes)
        end
      end

      def file(folder, index) = File.join(folder, "#{index}.zlib")
    end
  end
end
