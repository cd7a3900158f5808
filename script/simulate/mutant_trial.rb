# frozen_string_literal: true

module Simulations
  # Runs the models that cover a file with a mutant of it.
  #
  # Runs bound a trial, not seconds: a loaded machine gives the same figure. A run that takes too
  # many steps fails, and so does one that hangs without any.
  class MutantTrial
    SEED = 31
    # Steps of the longest runs that pass are below a tenth of it.
    MAX_STEPS = 10_000
    # Seconds of a run that takes some milliseconds; seconds of the processor for a mutant.
    REAL_LIMIT = 20
    CPU_LIMIT = 600
    # Most mutants fail in the first runs of some model: each model gets this part of its runs
    # before any gets the rest.
    FIRST = 0.15

    # @param runs [Integer] of each model at most
    def initialize(models, runs:)
      @models = models
      @rounds = [(runs * FIRST).ceil, runs - (runs * FIRST).ceil].select(&:positive?)
      @catches = Hash.new(0)
    end

    # Models that have caught more come first; at first, those of the file itself.
    # @return [String, nil] the model that failed, or what ended the process
    def caught_by(file, mutant)
      models = @models.select { |model| model.covers.include?(file) }.sort_by do |model|
        [-@catches[[file, model.name]], (model.covers.first == file) ? 0 : 1]
      end
      by = verdict { child(models, mutant) }
      @catches[[file, by]] += 1
      by
    end

    private

    # The block's value in a child process.
    def verdict
      reader, writer = IO.pipe
      pid = fork do
        reader.close
        writer.write(yield.to_s)
        writer.close
        exit!(0)
      end
      writer.close
      text = reader.read
      _, status = ::Process.wait2(pid)
      return "ended by #{status}" unless status.success?

      text unless text.empty?
    ensure
      reader&.close
    end

    def child(models, mutant)
      ::Process.setrlimit(:CPU, CPU_LIMIT)
      [$stdout, $stderr].each { |io| io.reopen(File::NULL) }
      $VERBOSE = nil
      eval(mutant.text, TOPLEVEL_BINDING.dup, mutant.path) # standard:disable Security/Eval
      @rounds.each_with_index do |runs, round|
        failed = models.find { |model| fails?(model, runs, SEED + round) }
        return failed.name if failed
      end
      nil
    rescue Exception => error # standard:disable Lint/RescueException
      "#{error.class}: #{error.message}".lines.first
    end

    def fails?(model, runs, seed)
      limits = {max_steps: [MAX_STEPS, model.options[:max_steps] || 0].max, real_limit: REAL_LIMIT}
      !model.explore(runs:, seed:, shrink: false, verify: false, **limits).success?
    end
  end
end
