# frozen_string_literal: true

module Simulations
  # Runs the models that cover a file with a mutant of it.
  class MutantTrial
    SEED = 31

    # @param runs [Integer] of each model at most
    # @param seconds [Integer] for one mutant; one that hangs is caught
    def initialize(models, runs:, seconds:)
      @models = models
      @runs = runs
      @seconds = seconds
    end

    # @return [String, nil] the model that failed, or "hangs"
    def caught_by(file, mutant)
      models = @models.select { |model| model.covers.include?(file) }
      # Those of the file itself first.
      models = models.sort_by { |model| (model.covers.first == file) ? 0 : 1 }
      reader, writer = IO.pipe
      pid = fork { child(reader, writer, models, mutant) }
      writer.close
      text = reader.wait_readable(@seconds) ? reader.read : "hangs"
      text unless text.empty?
    ensure
      reader&.close
      stop(pid) if pid
    end

    private

    def child(reader, writer, models, mutant)
      reader.close
      [$stdout, $stderr].each { |io| io.reopen(File::NULL) }
      $VERBOSE = nil
      eval(mutant.text, TOPLEVEL_BINDING.dup, mutant.path) # standard:disable Security/Eval
      failed = models.find { |model| !model.explore(runs: @runs, seed: SEED).success? }
      writer.write(failed.name) if failed
    rescue Exception => error # standard:disable Lint/RescueException
      writer.write("#{error.class}: #{error.message}".lines.first.to_s)
    ensure
      writer.close
      exit!(0)
    end

    def stop(pid)
      ::Process.kill(:KILL, pid)
    rescue Errno::ESRCH
      nil
    ensure
      ::Process.wait(pid)
    end
  end
end
