# frozen_string_literal: true

require_relative "../base/error"
require_relative "experiment"
require_relative "mapping"

module Raffia
  module Lab
    # The words of an experiment of one's own: what stands in the block of {Lab.experiment}.
    #
    # It is a Module because the blocks that are written there have it as their self, and a block
    # can go to another Ractor only when its self may be seen there. Modules may.
    class Definition < Module
      NAME = /\A[a-z]\w*\z/i
      SIZES = [Integer, Float, String, true, false].freeze
      NO_CHECK = "it has no check: add check { |results| ... } or expect VALUE, because a fast " \
        "wrong answer is no answer"

      # @param name [String, Symbol]
      # @return [Hash{Symbol => Object}] what was said in the block, complete and frozen
      # @raise [ConfigError] with a sentence that says what to write instead
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
        @said = {sizes: {}, on: Experiment::STRATEGIES, controls: {}, checks: {}, options: {},
                 notes: [], warm_up: 2, cpu_bound: true}
      end

      # @param text [String] one line
      def title(text) = @said[:title] = text.to_s

      # @param numbers [Hash{Symbol => Object}] sizes of the work; --scale multiplies the numbers
      #   among them
      def size(**numbers)
        wrong = numbers.find { |_, value| SIZES.none? { |type| type === value } }
        if wrong
          refuse("size #{wrong.first}: #{wrong.last.inspect} must be a number, a string, true or " \
            "false")
        end
        @said[:sizes].update(numbers)
      end

      # @yieldparam size [Hash{Symbol => Object}]
      # @yieldreturn [Object] what items and the checks get as their last argument; making it is not
      #   measured
      def setup(&block) = @said[:setup] = block

      # @yieldparam size [Hash{Symbol => Object}]
      # @yieldparam given [Object] from setup
      def teardown(&block) = @said[:teardown] = block

      # Without it the items are 0...N, with the first of the sizes.
      #
      # @param list [Enumerable] or the block's value
      def items(list = nil, &block) = @said[:items] = block || list

      # @yieldparam item [Object]
      # @yieldreturn [Object] the result, on every strategy the same block
      def work(&block) = @said[:work] = block

      # @param text [String] what is right when the block returns true
      # @yieldparam results [Array] in the order of the items
      # @yieldparam size [Hash{Symbol => Object}]
      # @yieldparam given [Object] from setup
      def check(text = "the check", &block) = @said[:checks][text.to_s] = block

      # @param value [Object] what the results must equal; or the block's value, of size and given
      def expect(value = nil, &block)
        check("the results are as expected") do |results, size, given|
          results == (block ? block.call(size, given) : value)
        end
      end

      # @param variants [Array<Symbol>] strategies, or :auto, which chooses its workers itself; all
      #   but :auto without this
      def on(*variants)
        known = [*Experiment::STRATEGIES, :auto]
        wrong = variants - known
        refuse("there is no strategy #{wrong.first}: choose from #{known.join(", ")}") if wrong.any?
        @said[:on] = variants.uniq.freeze
      end

      # @param variant [Symbol] what the others are compared with; :inline without this
      def baseline(variant) = @said[:baseline] = variant

      # @param counts [Array<Integer>] of workers; as many as there are cores without this
      def workers(*counts)
        wrong = counts.find { |count| !count.is_a?(Integer) || !count.positive? }
        refuse("workers #{wrong.inspect} makes no sense: use whole numbers from 1 up") if wrong
        @said[:workers] = counts.uniq.freeze
      end

      # A row to compare with: other code that does the same work.
      #
      # @param name [Symbol] :plain_processes, :plain_ractors or :plain_threads, or a name of one's
      #   own, with a block
      # @yieldparam items [Enumerable]
      # @yieldparam workers [Integer]
      # @yieldreturn [Array] the results, which are checked like the others
      def control(name, &block)
        known = Mapping::CONTROLS.key?(name.to_sym)
        unless known || block
          refuse("control #{name} needs a block, because it is none of " \
            "#{Mapping::CONTROLS.keys.join(", ")}")
        end
        @said[:controls][name.to_sym] = block
      end

      # @param keywords [Hash] for Raffia.map, such as chunk: 1
      def options(**keywords) = @said[:options].update(keywords)

      # @param count [Integer] how many items are worked on before the measurement
      def warm_up(count) = @said[:warm_up] = Integer(count)

      # @param whether [Boolean] false for work that waits: it needs workers, not cores
      def cpu_bound(whether) = @said[:cpu_bound] = whether

      # @param text [String] what a reader of the table should know
      def note(text) = @said[:notes] << text.to_s

      # @api private
      def complete(name)
        refuse("it has no work: add work { |item| ... }") unless @said[:work]
        refuse(NO_CHECK) if @said[:checks].empty? || @said[:checks].value?(nil)
        unless @said[:items] || @said[:sizes].values.first.is_a?(Integer)
          refuse("it has no items: add size n: 100, or items { |size| ... }")
        end
        @said[:baseline] ||= @said[:on].include?(:inline) ? :inline : @said[:on].first
        known = [*@said[:on], *@said[:controls].keys]
        unless known.include?(@said[:baseline])
          refuse("baseline #{@said[:baseline]} is none of its rows: #{known.join(", ")}")
        end
        @said.merge(name:, title: @said[:title] || name.tr("_", " ")).freeze
      end

      private

      def refuse(sentence) = raise(ConfigError, sentence)
    end
  end
end
