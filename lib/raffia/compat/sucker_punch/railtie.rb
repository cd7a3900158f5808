# frozen_string_literal: true

module SuckerPunch
  # Logs to the application's log.
  class Railtie < ::Rails::Railtie
    initializer("sucker_punch.logger") { SuckerPunch.logger = ::Rails.logger }
  end
end
