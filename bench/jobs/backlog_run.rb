# frozen_string_literal: true

require "raffia/jobs"
require_relative "usage"

module JobsBench
  # One run of `raffia work` with a backlog of jobs that write when they begin.
  class BacklogRun
    WARM = 3 # seconds until all processes work
    ROOT = File.expand_path("../..", __dir__)

    # @param name [String] class of the jobs
    # @param file [String] in this folder, which defines it by the environment
    # @param env [Hash{String => String, nil}]
    # @param options [Array<String>] of `raffia work`
    def initialize(database, name, file, env, options)
      @database = database
      @name = name
      @file = File.join(__dir__, file)
      @starts = "#{database.folder}/starts"
      @env = {**env, "STARTS" => @starts}
      @options = options
    end

    # @param jobs [Numeric] of the backlog
    # @param seconds [Float] from the first start on
    # @return [Array] lines of Floats that the jobs wrote, and seconds of CPU time of all processes
    def measure(jobs, seconds)
      enqueue(jobs.ceil)
      worker = start
      sleep(0.05) until File.size?(@starts)
      sleep(seconds)
      cpu = Usage.new(worker).cpu + Usage.new(@database.pid).cpu
      [File.readlines(@starts).map { |line| line.split.map { |text| Float(text) } }, cpu]
    ensure
      stop(worker) if worker
    end

    private

    def enqueue(jobs)
      ENV.update(@env)
      load(@file)
      Raffia::Jobs.store = @database.url
      kind = Object.const_get(@name)
      Array.new(jobs) { |number| [number] }.each_slice(1000) { |some| kind.perform_bulk(some) }
    end

    def start
      Process.spawn(@env, RbConfig.ruby, "-I#{ROOT}/lib", "#{ROOT}/exe/raffia", "work", "-r", @file,
        "--store", @database.url, *@options, in: File::NULL, out: "#{@database.folder}/log",
        err: %i[child out])
    end

    def stop(worker)
      Process.kill(:TERM, worker)
      Process.wait(worker)
    end
  end
end
