# frozen_string_literal: true

# The process of one run: one target, one workload, one sample, which it prints as JSON. Started by
# the campaign:
#
#     ruby -Ilib bench/rails/child.rb TARGET WORKLOAD SCALE

require "json"
require "tmpdir"
require "raffia/lab/statistics"
require_relative "../harness/meter"
require_relative "../jobs/databases"
require_relative "application"
require_relative "open_loop"
require_relative "plan"
require_relative "targets"

module RailsBench
  # See above.
  class Child
    PATIENCE = 60
    READINGS = <<~SQL
      create table readings (id serial primary key, name text, value float, at timestamp);
      insert into readings (name, value, at)
        select 'sensor ' || n, n * 1.5, now() from generate_series(1, 20) n;
    SQL

    def initialize(target, plan, scale)
      @target = target
      @plan = plan
      @scale = scale
    end

    # @return [Hash] the sample
    def sample
      Dir.mktmpdir("bench-rails-") do |folder|
        @folder = folder
        database { serve { measure } }
      end
    end

    private

    def database
      server = JobsBench::Databases::PostgreSQL.new(@folder)
      server.start
      @readings = server.url
      system("psql", "-q", "-h", "127.0.0.1", "-p", server.port.to_s, "-U", "postgres", "bench",
        "-c", READINGS, exception: true)
      yield
    ensure
      server&.stop
    end

    def serve
      @port = Addrinfo.tcp("127.0.0.1", 0).bind { |socket| socket.local_address.ip_port }
      command = @target.open.call.map { |word| word.sub("PORT", @port.to_s) }
      # It listens where its bundle is, so that each is the application's own.
      @pid = Process.spawn(Application.env
        .merge("READINGS_URL" => @readings, "RUBY_YJIT_ENABLE" => nil), *command,
        chdir: Application.folder,
        in: File::NULL, out: "#{@folder}/log", err: %i[child out], pgroup: true)
      await
      yield
    ensure
      stop if @pid
    end

    def await
      give_up = now + PATIENCE
      until get
        late = now > give_up || Process.wait(@pid, Process::WNOHANG)
        if late
          raise Bench::Wrong, "it does not serve: " \
            "#{File.readlines("#{@folder}/log").last(3).join(" | ")}"
        end
        sleep(0.1)
      end
    end

    def get
      Net::HTTP.start("127.0.0.1", @port, read_timeout: 10) { |http| request(http) }
    rescue SystemCallError, IOError, Timeout::Error
      nil
    end

    def request(http)
      answer = @plan.form ? http.post(@plan.path, @plan.form) : http.get(@plan.path)
      unless answer.code == (@plan.form ? "302" : "200")
        raise Bench::Wrong, "answered #{answer.code}: #{answer.body[0, 200]}"
      end

      true
    end

    def measure
      wrk(@plan.seconds * @scale)
      meter = Bench::Meter.new(pid: @pid, descendants: true)
      meter.mark(:begin)
      requests = wrk(@plan.seconds * @scale)
      meter.mark(:end)
      meter.operations = requests
      meter.sample.merge(pss_mib: meter.pss / 1024.0**2, **latencies)
    end

    # @return [Integer] answers
    def wrk(seconds)
      command = ["wrk", "-t1", "-c#{@plan.connections}", "-d#{[seconds.round, 1].max}s", *script,
        "http://127.0.0.1:#{@port}#{@plan.path}"]
      output = IO.popen(command, &:read)
      if output.match?(/Socket errors|Non-2xx/)
        raise Bench::Wrong, "wrk found errors: #{output.lines.grep(/error|Non-2xx/).join}"
      end

      output[/(\d+) requests in/, 1].to_i
    end

    def script
      return [] unless @plan.form

      path = "#{@folder}/form.lua"
      File.write(path, <<~LUA)
        wrk.method = "POST"
        wrk.body = "#{@plan.form}"
        wrk.headers["Content-Type"] = "application/x-www-form-urlencoded"
      LUA
      ["-s", path]
    end

    def latencies
      found = OpenLoop.new(@port, @plan.rate, @plan.seconds * @scale) { |http| request(http) }.call
      {p50_us: 0.5, p99_us: 0.99, p999_us: 0.999}
        .transform_values { |share| Raffia::Lab::Statistics.percentile(found, share) * 1e6 }
        .merge(open_rate: @plan.rate)
    end

    def stop
      everybody = Bench::Meter.new(pid: @pid, descendants: true).pids
      Process.kill(:TERM, @pid)
      give_up = now + 3
      sleep(0.05) until (ended = Process.wait(@pid, Process::WNOHANG)) || now > give_up
      everybody.each { |pid| kill(pid) }
      Process.wait(@pid) unless ended
    rescue Errno::ECHILD, Errno::ESRCH
      nil
    end

    def kill(pid)
      Process.kill(:KILL, pid)
    rescue Errno::ESRCH
      nil
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end

target, workload, scale = ARGV
child = RailsBench::Child.new(RailsBench::Targets::ALL.fetch(target),
  RailsBench::Plans::ALL.fetch(workload), Float(scale))
puts JSON.generate(child.sample)
