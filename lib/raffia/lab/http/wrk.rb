# frozen_string_literal: true

module Raffia
  module Lab
    class Http < Experiment
      # The load generator wrk: its command and its output.
      module Wrk
        UNITS = {"us" => 0.001, "ms" => 1.0, "s" => 1_000.0, "m" => 60_000.0}.freeze
        MISSING = "wrk is not installed; Debian has it as a package: apt-get install wrk"

        extend self

        # Advice when the program is missing, else nil.
        def missing(program = "wrk")
          MISSING if system(program, "--version", out: File::NULL, err: File::NULL).nil?
        end

        def command(params, seconds, port)
          ["wrk", "-t#{params[:threads]}", "-c#{params[:connections]}", "-d#{seconds}s",
            "--latency", "http://127.0.0.1:#{port}/"]
        end

        # Outputs of the warm-up and of the run: rate and latency of the last one, counts of all.
        def facts(outputs)
          {rate: outputs.last[%r{^Requests/sec:\s+([\d.]+)}, 1].to_f,
           p99: milliseconds(outputs.last[/^\s+99%\s+(\S+)/, 1]),
           requests: outputs.sum { |output| output[/^\s*(\d+) requests in/, 1].to_i },
           errors: outputs.sum { |output| errors(output) }}
        end

        private

        # wrk prints these two lines only after errors. An output without summary is an error, too.
        def errors(output)
          sockets = output[/^\s*Socket errors: (.*)$/, 1].to_s.scan(/\d+/).sum(&:to_i)
          refused = output[/^\s*Non-2xx or 3xx responses: (\d+)/, 1].to_i
          sockets + refused + (output.include?("Requests/sec:") ? 0 : 1)
        end

        def milliseconds(text)
          number, unit = text.to_s.match(/\A([\d.]+)(us|ms|s|m)\z/)&.captures
          number && number.to_f * UNITS.fetch(unit)
        end
      end
    end
  end
end
