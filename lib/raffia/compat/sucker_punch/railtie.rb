# frozen_string_literal: true

module SuckerPunch
  # What jobs have to say goes to the log of the application.
  class Railtie < ::Rails::Railtie
    initializer("sucker_punch.logger") { SuckerPunch.logger = ::Rails.logger }
  end
end
