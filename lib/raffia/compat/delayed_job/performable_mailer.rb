# frozen_string_literal: true

require_relative "performable_method"

module Delayed
  # A mail, as a job.
  class PerformableMailer < PerformableMethod
    def self.mailer?(object)
      object.is_a?(Class) && defined?(::ActionMailer::Base) && object < ::ActionMailer::Base
    end

    def perform
      mail = super
      mail.respond_to?(:deliver_now) ? mail.deliver_now : mail.deliver
    end
  end
end
