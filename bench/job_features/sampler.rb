# frozen_string_literal: true

require_relative "../jobs/sampler"
require_relative "../jobs/systems/system"

module JobFeaturesBench
  # Takes one sample, see {JobsBench::Sampler}.
  class Sampler < JobsBench::Sampler
    SMALL = 60 # jobs of the small tenant
    ALONE = 20 # jobs that warm up
    QUIET = 2.0 # seconds after which a worker without jobs is measured

    private

    # Like the other one, and what it costs to enqueue, with the server's part.
    def drain
      jobs, warm = [jobs_at(@plan.jobs), jobs_at(@plan.jobs) * WARM]
        .map { |count| (count / STEPS.to_f).ceil * STEPS }
      put(0...warm)
      before = [@own.cpu, @server.cpu]
      put(warm...(warm + jobs))
      spent = [@own.cpu, @server.cpu].zip(before).map { |now, then_| (now - then_) * 1e6 / jobs }
      work(warm, warm + jobs)
      await(warm)
      measure(jobs) { await(warm + jobs) }
        .merge(put_us: spent[0], put_server_us: (spent[1] if @database.pid))
    end

    STEPS = JobsBench::Systems::System::STEPS

    # One job at a time: the next one is enqueued when it is done. The CPU time is that of both
    # processes.
    def lone
      jobs = jobs_at(@plan.jobs)
      work(*1..(ALONE + jobs))
      alone(0...ALONE)
      before = @own.cpu
      mine = nil
      sample = measure(jobs) do
        alone(ALONE...(ALONE + jobs))
        mine = @own.cpu - before
      end
      {**sample, cpu_us: sample[:cpu_us] + mine * 1e6 / jobs, worker_us: sample[:cpu_us]}
    end

    def alone(numbers)
      @system.session do
        numbers.each do |number|
          @system.push(number)
          await(number + 1)
        end
      end
    end

    # One tenant has many jobs when the other one's begin to come.
    def tenants
      jobs = jobs_at(@plan.jobs)
      big = 0...jobs
      @system.session { big.each_slice(1000) { |slice| @system.bulk_for("big", slice) } }
      work(1, jobs + SMALL)
      await(1)
      late = nil
      sample = measure(jobs + SMALL) do
        small = jobs...(jobs + SMALL)
        JobsBench::Pace.new(@plan.rate).call(small) do |number, due|
          @system.session { @system.push_for("small", number, due) }
        end
        late = await(jobs + SMALL)
      end
      {**sample, **percentiles(late)}
    end

    # The worker's memory when it is ready, and after its jobs.
    def memory_growth
      jobs = jobs_at(@plan.jobs)
      work(1, jobs + 1)
      put(0...1)
      await(1)
      sleep(QUIET)
      idle = [@worker.usage.pss, @worker.usage.anonymous]
      sample = measure(jobs) do
        put(1...(jobs + 1))
        await(jobs + 1)
      end
      sleep(QUIET)
      {**sample, idle_mib: idle[0], idle_anon_mib: idle[1], pss_mib: @worker.usage.pss,
                 anon_mib: @worker.usage.anonymous}
    end

    def patience = (@plan.way == :tenants) ? 300 : 150
  end
end
