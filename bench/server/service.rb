# frozen_string_literal: true

module ServerBench
  # The services that the load asks for, as a Rack application that any server may run, in a Ractor
  # too. See requests.h.
  module Service
    LETTERS = ("a".."z").to_a.join.freeze
    UPLOAD = (LETTERS * 2_521).byteslice(0, 64 * 1024).b.freeze
    DOWNLOAD = (LETTERS * 40_330).byteslice(0, 1024 * 1024).freeze
    WAIT = 0.1
    NAP = 0.01
    CPU = 0.001

    module_function

    def call(env)
      case env["PATH_INFO"]
      when "/" then text("Hello, world\n")
      when "/json" then [200, {"content-type" => "application/json"}, [env["rack.input"].read]]
      when "/upload" then text((env["rack.input"].read == UPLOAD) ? "received 65536\n" : "wrong\n")
      when "/download" then [200, {"content-type" => "application/octet-stream"}, [DOWNLOAD]]
      when "/wait" then done { sleep(WAIT) }
      when "/nap" then done { sleep(NAP) }
      when "/cpu" then done { spin }
      when "/stats"
        text("#{GC.stat(:total_allocated_objects)} #{Ractor.count} Ractors, " \
          "#{Fiber.scheduler.inspect}\n")
      else [404, {"content-type" => "text/plain"}, ["not here\n"]]
      end
    end

    def text(body) = [200, {"content-type" => "text/plain"}, [body]]

    def done
      yield
      text("done\n")
    end

    # In the CPU time of the thread, so that it is as much work whoever else wants the core.
    def spin
      give_up = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) + CPU
      nil while Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) < give_up
    end
  end
end
