class ReadingsController < ApplicationController
  def index
    render json: Reading.order(:id).limit(20)
  end
end
