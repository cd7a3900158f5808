# frozen_string_literal: true

module Raffia
  module Lab
    class Comparison
      # Reasons for different results other than the code: machine, Ruby, size, load.
      module Differences
        FACTS = {ruby: "the Ruby", yjit: "YJIT", cpu: "the processor", cores: "the number of cores",
                 kernel: "the kernel", backend: "the back end",
                 governor: "the frequency governor", memory: "the memory"}.freeze
        # Load for each core.
        BUSY = 0.25

        extend self

        # Sentences about two data of {Report::Document}.
        def of(before, after)
          [*facts(before[:environment], after[:environment]), *sizes(before, after),
            *loads(before, after), *interrupted(before, after)]
        end

        private

        def facts(before, after)
          FACTS.filter_map do |key, words|
            next if before[key] == after[key]
            "#{words} is another one: #{words(before[key])}, now #{words(after[key])}"
          end
        end

        def words(value)
          case value
          when nil then "unknown"
          when true then "on"
          when false then "off"
          else value.to_s
          end
        end

        def sizes(before, after)
          after[:experiments].filter_map do |own|
            other = before[:experiments].find { |each| each[:name] == own[:name] }
            next "#{own[:name]} was not run before: nothing to compare it with" unless other
            next if other[:params] == own[:params]
            "#{own[:name]} had another size (#{other[:size]}, now #{own[:size]}): its figures " \
              "are not compared"
          end
        end

        def loads(before, after)
          {"before" => before, "now" => after}.filter_map do |when_, data|
            load = data.dig(:environment, :load).to_f
            if load > data.dig(:environment, :cores).to_i * BUSY
              "the machine was busy #{when_} (load #{load})"
            end
          end
        end

        def interrupted(before, after)
          {"earlier" => before, "later" => after}.filter_map do |which, data|
            "the #{which} result was interrupted" if data[:interrupted]
          end
        end
      end
    end
  end
end
