# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Postgres < SQL
        # Options of the store in an address such as
        # `postgres://app:secret@db.example.org/app?pool=10&sslmode=require`. Other parameters are
        # libpq's.
        #
        # * schema: the schema that has the tables (raffia)
        # * pool: most connections of a process, besides the one that listens (5)
        # * listen: on, off, auto: off behind a pooler, which loses notifications (auto)
        # * look: seconds between two polls while there is nothing to do (5; 1 without LISTEN)
        # @api private
        Address = Data.define(:conninfo, :url, :schema, :pool, :listen, :look)

        class Address
          # Patterns, and descriptions for messages.
          RULES = {
            "schema" => [/\A[a-z_][a-z0-9_]{0,30}\z/,
              "a name of at most 31 small letters, digits and _"],
            "pool" => [/\A[1-9]\d{0,3}\z/, "a number from 1 up"],
            "listen" => [/\A(on|off|auto)\z/, "on, off or auto"],
            "look" => [/\A(?=.*[1-9])\d+(\.\d+)?\z/, "seconds"]
          }.each_value(&:freeze).freeze
          # A server that does not answer is an error after seconds, not hours.
          DEFAULTS = {"application_name" => "raffia", "connect_timeout" => "5",
                      "tcp_user_timeout" => "15000", "keepalives_idle" => "30",
                      "keepalives_interval" => "10", "keepalives_count" => "3"}.freeze
          # Stricter than libpq, which would take a part of a password without % codes for a host,
          # and show it in messages.
          FORM = %r{
            \Apostgres(?:ql)?://
            (?:[^:@/\s]*(?::[^:@/\s]*)?@)?
            (?<host>(?:\[[\h:.%]*\]|[^:@/,\[\s]*)(?::\d+)?)(?:,\g<host>)*
            (?:/[^@/\s]*)?\z
          }x
          UNREADABLE = "the address of the postgres store cannot be read: write it as " \
            "postgres://user:password@host:port/database, with % codes for what is special in " \
            "user and password (%40 for @)"

          class << self
            # Options win over the address.
            def parse(url, **options)
              base, query = url.split("?", 2)
              raise ConfigError, UNREADABLE unless FORM.match?(base)

              given = query.to_s.split("&").to_h { |pair| pair.split("=", 2) }
              options = given.slice(*RULES.keys).merge(options.transform_keys(&:to_s))
              options.each do |name, value|
                Store::Address.check_option("postgres", RULES, name, value.to_s)
              end
              libpq = DEFAULTS.merge(given.except(*RULES.keys))
                .map { |pair| pair.compact.join("=") }.join("&")
              new(conninfo: "#{base}?#{libpq}", url: Store::Address.shown_with_user(base, query),
                **settings(options))
            end

            private

            def settings(options)
              {schema: options.fetch("schema", "raffia").to_s, pool: options.fetch("pool", 5).to_i,
               listen: options.fetch("listen", "auto").to_sym, look: options["look"]&.to_f}
            end
          end

          # Only the driver sees the password.
          def inspect = "#<#{self.class} #{url}>"
        end
      end
    end
  end
end
