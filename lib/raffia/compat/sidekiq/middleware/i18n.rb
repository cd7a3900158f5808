# frozen_string_literal: true

require_relative "../../sidekiq"

module Sidekiq
  module Middleware
    # Runs jobs in the locale in which they were enqueued. The program loads the gem i18n.
    module I18n
      # Client middleware.
      class Client
        def call(_class, job, _queue, _pool)
          job["locale"] ||= ::I18n.locale.to_s
          yield
        end
      end

      # Server middleware.
      class Server
        def call(_job, item, _queue, &)
          ::I18n.with_locale(item["locale"] || ::I18n.default_locale, &)
        end
      end
    end
  end

  default_configuration.client_middleware.add(Middleware::I18n::Client)
  configure_server { |config| config.server_middleware.add(Middleware::I18n::Server) }
end
