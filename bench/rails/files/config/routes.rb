Rails.application.routes.draw do
  get "up" => "rails/health#show", :as => :rails_health_check
  resources :articles, only: %i[index create]
  resources :readings, only: %i[index]
  root "articles#index"
end
