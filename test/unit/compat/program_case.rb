# frozen_string_literal: true

require "test_helper"
require "fileutils"
require "open3"
require "tmpdir"

module Raffia
  # The parent of tests of layers whose gem this process may have itself: programs run in
  # subprocesses.
  class CompatProgramCase < TestCase
    ROOT = File.expand_path("../../..", __dir__)

    def setup
      super
      @dir = Dir.mktmpdir("raffia-test-")
    end

    def teardown
      FileUtils.remove_entry(@dir)
      super
    end

    # @return [String] what a program has printed
    def run_program(text, *options, env: {})
      out, err, status = Open3.capture3(
        {"RUBYOPT" => nil, "RAFFIA_STORE" => "sqlite:jobs.db", **env}, RbConfig.ruby, "-W0",
        "-I#{ROOT}/lib", *options, "-", stdin_data: text, chdir: @dir
      )
      assert_predicate status, :success?, "#{err}\n#{out}"
      out
    end

    # Runs what is waiting, in a worker of the program.
    WORK = <<~RUBY

      def work_off
        require "raffia/jobs/worker"
        store = Raffia::Jobs.store
        queues = store.queues.map { |queue| queue["name"] }
        worker = Raffia::Jobs::Worker.new(store, queues:, log: Logger.new(nil)).start
        sleep(0.01) until store.counts.values_at(:queue, :running).sum.zero?
        worker.stop
      end
    RUBY
  end
end
