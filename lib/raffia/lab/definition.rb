# frozen_string_literal: true

require_relative "experiment"

module Raffia
  module Lab
    # The words in the block of {Lab.experiment}: an experiment that a user defines.
    #
    # It is a Module because the user's blocks have it as their self. A block can go to another
    # Ractor only when its self is shareable, and modules are.
    class Definition < Module
      NAME = /\A[a-z]\w*\z/i
      SIZES = [Integer, Float, String, true, false].freeze
      NO_CHECK = "it has no check: add check { |results| ... } or expect VALUE, because a fast " \
        "wrong answer is no answer"

      # Returns the values of the block, complete and frozen.
      # Raises ConfigError with a sentence that says how to correct it.
      def self.read(name, &block)
        unless name.to_s.match?(NAME)
          refuse("#{name.inspect} is no name of an experiment: use letters, digits and _")
        end
        definition = new
        definition.module_exec(&block)
        definition.complete(name.to_s)
      rescue NameError => error
        raise unless error.receiver.equal?(definition)
        refuse("#{error.name} is no word of an experiment: there are #{words.join(", ")}")
      end

      def self.words = public_instance_methods(false).sort - %i[complete]

      def self.refuse(sentence) = raise(ConfigError, sentence)
      private_class_method :words, :refuse

      def initialize
        super
        @values = {sizes: {}, on: Experiment::STRATEGIES, controls: {}, checks: {}, options: {},
                   notes: [], warm_up: 2, cpu_bound: true}
      end

      def title(text) = @values[:title] = text.to_s

      # Sizes of the work; --scale multiplies the numbers among them.
      def size(**numbers)
        wrong = numbers.find { |_, value| SIZES.none? { |type| type === value } }
        if wrong
          refuse("size #{wrong.first}: #{wrong.last.inspect} must be a number, a string, true or " \
            "false")
        end
        @values[:sizes].update(numbers)
      end

      # The block's value is the last argument of items and checks. Making it is not measured.
      def setup(&block) = @values[:setup] = block

      # The block gets the value of setup.
      def teardown(&block) = @values[:teardown] = block

      # An Enumerable, or the block's value. Without it the items are 0...N of the first size.
      def items(list = nil, &block) = @values[:items] = block || list

      # Works on one item; the same block runs on every strategy.
      def work(&block) = @values[:work] = block

      # The block gets the results in the order of the items, sizes and the value of setup. It
      # returns true when they are right.
      def check(text = "the check", &block) = @values[:checks][text.to_s] = block

      # The results must equal the value, or the block's value for sizes and the value of setup.
      def expect(value = nil, &block)
        check("the results are as expected") do |results, size, given|
          results == (block ? block.call(size, given) : value)
        end
      end

      # Strategies, or :auto, which chooses its own workers. The default is all but :auto.
      def on(*variants)
        known = [*Experiment::STRATEGIES, :auto]
        wrong = variants - known
        refuse("there is no strategy #{wrong.first}: choose from #{known.join(", ")}") if wrong.any?
        @values[:on] = variants.uniq.freeze
      end

      # The variant that the others are compared with; :inline by default.
      def baseline(variant) = @values[:baseline] = variant

      # Numbers of workers; as many as there are cores by default.
      def workers(*counts)
        wrong = counts.find { |count| !count.is_a?(Integer) || !count.positive? }
        refuse("workers #{wrong.inspect} makes no sense: use whole numbers from 1 up") if wrong
        @values[:workers] = counts.uniq.freeze
      end

      # A row to compare with: other code that does the same work. Either :plain_processes,
      # :plain_ractors or :plain_threads, or a new name with a block. The block returns the results,
      # and they are checked like the others.
      def control(name, &block)
        unless Control::VARIANTS.key?(name.to_sym) || block
          refuse("control #{name} needs a block, because it is none of " \
            "#{Control::VARIANTS.keys.join(", ")}")
        end
        @values[:controls][name.to_sym] = block
      end

      # Keywords for Raffia.map, such as chunk: 1.
      def options(**keywords) = @values[:options].update(keywords)

      # How many items are worked on before the measurement.
      def warm_up(count) = @values[:warm_up] = Integer(count)

      # False for work that waits: it needs workers, not cores.
      def cpu_bound(whether) = @values[:cpu_bound] = whether

      # A sentence for readers of the table.
      def note(text) = @values[:notes] << text.to_s

      # Not a word of an experiment: returns all values, checked and frozen.
      def complete(name)
        refuse("it has no work: add work { |item| ... }") unless @values[:work]
        refuse(NO_CHECK) if @values[:checks].empty? || @values[:checks].value?(nil)
        unless @values[:items] || @values[:sizes].values.first.is_a?(Integer)
          refuse("it has no items: add size n: 100, or items { |size| ... }")
        end
        @values[:baseline] ||= @values[:on].include?(:inline) ? :inline : @values[:on].first
        known = [*@values[:on], *@values[:controls].keys]
        unless known.include?(@values[:baseline])
          refuse("baseline #{@values[:baseline]} is none of its rows: #{known.join(", ")}")
        end
        @values.merge(name:, title: @values[:title] || name.tr("_", " ")).freeze
      end

      private

      def refuse(sentence) = raise(ConfigError, sentence)
    end
  end
end
