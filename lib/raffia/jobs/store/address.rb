# frozen_string_literal: true

module Raffia
  module Jobs
    class Store
      # Finds the store of an address, and hides its secrets.
      module Address
        # Scheme of an address => class of the store, whose file is stores/NAME.rb in small letters.
        SCHEMES = {
          "memory" => "Memory",
          "sqlite" => "SQLite", "sqlite3" => "SQLite",
          "redis" => "Redis", "rediss" => "Redis", "valkey" => "Redis", "unix" => "Redis",
          "postgres" => "Postgres", "postgresql" => "Postgres",
          "mysql" => "MySQL", "mariadb" => "MySQL", "trilogy" => "MySQL",
          "beanstalk" => "Beanstalk", "beanstalkd" => "Beanstalk"
        }.freeze
        # For messages.
        EXAMPLES = "sqlite:jobs.db, redis://localhost:6379/0, postgres://localhost/app, " \
          "mysql://localhost/app or memory:"
        # Names of parameters after the ? whose values are secret.
        SECRET = /pass|pwd|secret|token|auth|cred/i
        private_constant :SECRET

        module_function

        # The name of the class. Raises {ConfigError}.
        def store(url)
          SCHEMES[url[/\A([a-z0-9]+):/, 1]] ||
            raise(ConfigError, "#{shown(url).inspect} is no store: use one such as #{EXAMPLES}")
        end

        # Raises {ConfigError} for an option that the rules do not have, or whose value they refuse.
        # rules: a pattern and its description for messages, by the option's name.
        def check_option(store, rules, name, value)
          rule, wanted = rules[name] ||
            raise(ConfigError, "the #{store} store has no option #{name}: it has " \
              "#{rules.keys.join(", ")}")
          return if rule.match?(value)

          raise ConfigError, "#{name} of the #{store} store must be #{wanted}, not " \
            "#{value.inspect}"
        end

        # The address of a server, with the user's name.
        def shown_with_user(base, query)
          _, query = shown("?#{query}").split("?", 2)
          [base.sub(%r{(?<=//)([^/@:]*):[^@/]*@}, '\1@'), *query].join("?")
        end

        # Any address, also an invalid one, without secrets.
        def shown(url)
          base, query = url.split("?", 2)
          public = query.to_s.split("&").reject do |pair|
            SECRET.match?(pair.split("=", 2).first.to_s)
          end
          [base.to_s.sub(%r{//.*@}, "//"), *(public.join("&") if public.any?)].join("?")
        end
      end
    end
  end
end
