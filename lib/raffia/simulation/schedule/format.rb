# frozen_string_literal: true

require "zlib"

module Raffia
  module Simulation
    class Schedule
      # The text form of schedules: `rs1:` and, as base64, four texts (Ruby's version, preemption,
      # strategy, seed), the fingerprints, each choice that is not 0 with its distance from the one
      # before, and a CRC-32.
      #
      # @api private
      module Format
        PREFIX = "rs1:"
        # Longer texts are refused.
        MAX_BYTES = 32 * 1024 * 1024
        TEXTS = 4
        private_constant :TEXTS

        module_function

        def dump(seed:, choices:, prints:, ruby:, preempt:, strategy:)
          texts = [ruby, preempt, strategy, seed].map(&:to_s)
          data = texts.map { |text| [text.bytesize, text].pack("wa*") }.join
          data << [prints.size, *prints].pack("wn*") << distances(choices).pack("w*")
          data << [::Zlib.crc32(data)].pack("N")
          PREFIX + [data].pack("m0").tr("+/", "-_").delete("=")
        end

        def parse(text)
          data = decode(text)
          body = data.byteslice(0...-4)
          refuse("it is damaged") unless data.bytesize > 4 &&
            ::Zlib.crc32(body) == data.unpack1("N", offset: body.bytesize)

          fields(body)
        rescue ::ArgumentError, ::NoMethodError, ::TypeError
          refuse("it is damaged")
        end

        def distances(choices)
          last = -1
          choices.each_with_index.filter_map { |choice, index|
            next if choice.zero?

            distance = index - last
            last = index
            [distance, choice]
          }.flatten
        end

        def decode(text)
          refuse("it is longer than #{MAX_BYTES} bytes") if text.bytesize > MAX_BYTES

          line = text.b.lines.map(&:strip).find { |one| !one.empty? && !one.start_with?("#") }.to_s
          unless line.start_with?(PREFIX)
            version = line[/\Ars(\d+):/, 1]
            refuse(version ? "its format is rs#{version}" : "it does not begin with #{PREFIX}")
          end

          encoded = line.delete_prefix(PREFIX).tr("-_", "+/")
          encoded.ljust((encoded.size + 3) / 4 * 4, "=").unpack1("m0")
        end

        def fields(body)
          texts, rest = texts(body)
          ruby, preempt, strategy, seed = texts
          count = rest.unpack1("w")
          rest = rest.byteslice([count].pack("w").bytesize..)
          refuse("it is damaged") if rest.bytesize < count * 2

          {ruby:, preempt: preempt.to_sym, strategy:, seed: Integer(seed, 10),
           prints: rest.unpack("n#{count}"), choices: choices(rest.byteslice(count * 2..), count)}
        end

        def texts(body)
          texts = Array.new(TEXTS) do
            size = body.unpack1("w")
            start = [size].pack("w").bytesize
            text = body.byteslice(start, size).force_encoding(::Encoding::UTF_8)
            refuse("it is damaged") if text.bytesize != size || size > 255 || !text.valid_encoding?

            body = body.byteslice((start + size)..)
            text
          end
          [texts, body]
        end

        # The number of fingerprints, so that a short text cannot ask for much memory.
        def choices(data, count)
          choices = Array.new(count, 0)
          position = -1
          data.unpack("w*").each_slice(2) do |distance, choice|
            position += distance
            refuse("it is damaged") unless distance.positive? && choice && position < count

            choices[position] = choice
          end
          choices
        end

        def refuse(reason)
          raise ConfigError, "this is no schedule of this version of Raffia: #{reason}. Copy all " \
            "of the text, which begins with #{PREFIX}, or name a file that holds it"
        end

        private_class_method :distances, :decode, :fields, :texts, :choices, :refuse
      end
    end
  end
end
