# frozen_string_literal: true

module Raffia
  module CLI
    class Doctor < Command
      # Optional gems.
      module Gems
        # name, requirement, feature
        OPTIONAL = [
          ["rack", ">= 2.2", "raffia serve reads config.ru"],
          ["sqlite3", ">= 2.9.2", "jobs are kept in SQLite, which is the default"],
          ["redis-client", ">= 0.27", "jobs are kept in Redis"],
          ["pg", ">= 1.6", "jobs are kept in PostgreSQL"],
          ["trilogy", ">= 2.11", "jobs are kept in MariaDB or MySQL, or imported from there"],
          ["fugit", ">= 1.11", "jobs recur"],
          ["websocket-driver", ">= 0.7.6", "there are WebSockets"],
          ["zstd-ruby", ">= 1.5.6", "the server compresses with zstd"],
          ["brotli", ">= 0.6", "the server compresses with br"],
          ["ruby-progressbar", "~> 1.13",
            "progress: true draws a bar with an estimate instead of plain lines"],
          ["irb", nil, "there is raffia console"]
        ].each(&:freeze).freeze

        module_function

        def call(optional: OPTIONAL)
          optional.map { |name, requirement, adds| gem(name, requirement, adds) }
        end

        def gem(name, requirement, adds)
          spec = Gem::Specification.find_by_name(name, *requirement)
          Check.ok(name, "#{spec.version}: #{adds}")
        rescue Gem::MissingSpecError
          Check.note(name, "#{found(name)}; with it #{adds}",
            %(Add to the Gemfile: gem "#{name}"#{", \"#{requirement}\"" if requirement}))
        end

        def found(name)
          versions = Gem::Specification.find_all_by_name(name).map(&:version)
          versions.empty? ? "not installed" : "only #{versions.join(", ")} installed"
        end
      end
    end
  end
end
