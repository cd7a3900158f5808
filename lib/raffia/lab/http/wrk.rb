# frozen_string_literal: true

module Raffia
  module Lab
    class Http < Experiment
      # The load generator: how it is called, and what it prints.
      module Wrk
        UNITS = {"us" => 0.001, "ms" => 1.0, "s" => 1_000.0, "m" => 60_000.0}.freeze
        MISSING = "wrk is not installed; Debian has it as a package: apt-get install wrk"

        module_function

        # @return [String, nil] what to do when the program is not there
        def missing(program = "wrk")
          ::Process.wait(::Process.spawn(program, "--version", in: File::NULL, out: File::NULL,
            err: File::NULL))
          nil
        rescue Errno::ENOENT
          MISSING
        end

        # @return [Array<String>]
        def command(params, seconds, port)
          ["wrk", "-t#{params[:threads]}", "-c#{params[:connections]}", "-d#{seconds}s",
            "--latency",
            "http://127.0.0.1:#{port}/"]
        end

        # @param outputs [Array<String>] of the warm-up and of the run that counts
        # @return [Hash{Symbol => Numeric}] the rate and latency are those of the last one, the
        #   counts those of all
        def facts(outputs)
          {rate: outputs.last[%r{^Requests/sec:\s+([\d.]+)}, 1].to_f,
           p99: milliseconds(outputs.last[/^\s+99%\s+(\S+)/, 1]),
           requests: outputs.sum { |output| output[/^\s*(\d+) requests in/, 1].to_i },
           errors: outputs.sum { |output| errors(output) }}
        end

        # wrk prints these two lines only when there is something to tell; an output that lacks its
        # summary is an error too.
        def errors(output)
          sockets = output[/^\s*Socket errors: (.*)$/, 1].to_s.scan(/\d+/).sum(&:to_i)
          refused = output[/^\s*Non-2xx or 3xx responses: (\d+)/, 1].to_i
          sockets + refused + (output.include?("Requests/sec:") ? 0 : 1)
        end

        def milliseconds(text)
          number, unit = text.to_s.match(/\A([\d.]+)(us|ms|s|m)\z/)&.captures
          number && number.to_f * UNITS.fetch(unit)
        end

        private_class_method :errors, :milliseconds
      end
    end
  end
end
